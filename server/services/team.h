/* Teams. Everything here needs teams:manage. */
#ifndef SERVICES_TEAM_H
#define SERVICES_TEAM_H

#include "server/base/field.h"
#include "server/services/services.h"

struct team_input {
        const char *name;
};
extern const struct field_table team_table;
/* {id, name}. Writes. */
MUST_CHECK bool team_add(struct call *call, const struct team_input *input, json_t **result, struct error *error);
/* {teams: [{name, id, members}]}. Reads. */
MUST_CHECK bool team_list(struct call *call, json_t **result, struct error *error);

struct team_member_input {
        const char *team, *user;
};
extern const struct field_table team_member_table;
/* {team, members}. Both write and act at once. */
MUST_CHECK bool team_add_member(struct call *call, const struct team_member_input *input, json_t **result,
                                struct error *error);
MUST_CHECK bool team_remove_member(struct call *call, const struct team_member_input *input, json_t **result,
                                   struct error *error);

#endif
