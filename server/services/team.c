#include "server/services/team.h"

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/user.h"
#include "server/services/write.h"
#include "server/store/team.h"
#include "server/store/user.h"

static const struct field team_rows[] = {
        STRING_FIELD(struct team_input, name, .is_required = true, .minimum = 1, .maximum = 64,
                     .is_valid = user_name_is_valid, .shape = USER_NAME_SHAPE, .help = "The team's name."),
};
const struct field_table team_table = FIELD_TABLE(struct team_input, team_rows);

static const struct field member_rows[] = {
        STRING_FIELD(struct team_member_input, team, .is_required = true, .minimum = 1, .maximum = 64,
                     .help = "The team."),
        STRING_FIELD(struct team_member_input, user, .is_required = true, .minimum = 1, .maximum = 64,
                     .help = "The user."),
};
const struct field_table team_member_table = FIELD_TABLE(struct team_member_input, member_rows);

static bool add_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct team_input *input = context;
        char id[ID_SIZE];

        if (!access_require(call->actor, PERMISSION_TEAMS_MANAGE, error) ||
            !store_team_add(call->db, input->name, call->now, id, error) ||
            !audit_write(call->db, call->actor, "team.add", input->name, json_pack("{s:s}", "id", id), error))
                return false;
        *result = json_pack("{s:s, s:s}", "id", id, "name", input->name);
        return true;
}

bool team_add(struct call *call, const struct team_input *input, json_t **result, struct error *error)
{
        return call_write(call, add_work, input, result, error);
}

static void append_member(const char *user, void *context)
{
        json_array_append_new(context, document_string(user));
}

struct listing {
        struct store_db *db;
        json_t *teams;
        struct error *error;
        bool has_failed;
};

static void append_team(const struct store_team *team, void *context)
{
        struct listing *listing = context;
        auto_json *members = json_array();

        if (listing->has_failed ||
            !store_team_list_members(listing->db, team->rid, append_member, members, listing->error)) {
                listing->has_failed = true;
                return;
        }
        json_array_append_new(listing->teams,
                              json_pack("{s:s, s:s, s:O}", "name", team->name, "id", team->id, "members", members));
}

bool team_list(struct call *call, json_t **result, struct error *error)
{
        auto_json *teams = json_array();
        struct listing listing = {call->db, teams, error, false};

        if (!access_require(call->actor, PERMISSION_TEAMS_MANAGE, error) ||
            !store_team_list(call->db, append_team, &listing, error) || listing.has_failed)
                return false;
        *result = json_pack("{s:O}", "teams", teams);
        return true;
}

/* Joining a team gives its roles and leaving it takes them: who manages teams must be allowed to manage that person too
 * when the team makes server administrators, which is seen from the person's grants while they are in it. */
static bool change_member(struct call *call, const struct team_member_input *input, bool is_added, json_t **result,
                          struct error *error)
{
        auto_store_team team = {0};
        auto_store_user user = {0};
        auto_json *members = json_array();

        if (!access_require(call->actor, PERMISSION_TEAMS_MANAGE, error) ||
            !store_team_find(call->db, input->team, &team, error) ||
            !store_user_find(call->db, input->user, &user, error))
                return false;
        if (is_added ? !store_team_add_member(call->db, team.rid, user.rid, error) ||
                               !user_require_below(call, user.rid, error)
                     : !user_require_below(call, user.rid, error) ||
                               !store_team_remove_member(call->db, team.rid, user.rid, error))
                return false;
        if (!audit_write(call->db, call->actor, is_added ? "team.add-member" : "team.remove-member", team.name,
                         json_pack("{s:s}", "user", user.name), error) ||
            !store_team_list_members(call->db, team.rid, append_member, members, error))
                return false;
        *result = json_pack("{s:s, s:O}", "team", team.name, "members", members);
        return true;
}

static bool add_member_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return change_member(call, input, true, result, error);
}

static bool remove_member_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return change_member(call, input, false, result, error);
}

bool team_add_member(struct call *call, const struct team_member_input *input, json_t **result, struct error *error)
{
        return call_write(call, add_member_work, input, result, error);
}

bool team_remove_member(struct call *call, const struct team_member_input *input, json_t **result, struct error *error)
{
        return call_write(call, remove_member_work, input, result, error);
}
