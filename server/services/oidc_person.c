#include "server/services/oidc_person.h"

#include <string.h>
#include <strings.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/oidc_claims.h"
#include "server/services/role.h"
#include "server/services/setup.h"
#include "server/services/user.h"
#include "server/store/identity.h"
#include "server/store/user.h"

/* Whether the comma-separated list has the domain. */
static bool has_domain(const char *list, const char *domain)
{
        size_t wanted = strlen(domain);

        while (*list) {
                list += strspn(list, ", ");
                size_t length = strcspn(list, ", ");
                if (length == wanted && !strncasecmp(list, domain, wanted))
                        return true;
                list += length;
        }
        return false;
}

static bool check_domain(const json_t *claims, struct error *error)
{
        const char *domains = settings_current()->oidc_allowed_domains, *email = oidc_claims_email(claims);
        const char *at = email ? strrchr(email, '@') : NULL;

        if (!domains || (at && at[1] && has_domain(domains, at + 1)))
                return true;
        return error_set(error, ERROR_PERMISSION_DENIED,
                         "Only people with a verified e-mail address in an allowed domain are let in here.");
}

/* One sign-in that finds or makes its user. Who acts is nobody yet: what is done is done by the settings. */
struct arrival {
        struct call call;
        const json_t *claims;
        const char *issuer, *subject;
};

static bool link_to(struct arrival *arrival, const struct store_user *user, const char *by, struct error *error)
{
        return store_identity_add(arrival->call.db, arrival->issuer, arrival->subject, user->rid, arrival->call.now,
                                  error) &&
               audit_write(
                       arrival->call.db, &actor_nobody, "identity.link", user->name,
                       json_pack("{s:s, s:s, s:s}", "issuer", arrival->issuer, "subject", arrival->subject, "by", by),
                       error);
}

struct counting {
        const char *issuer;
        int count;
};

static void count_of_issuer(const struct store_identity *identity, void *context)
{
        struct counting *counting = context;

        counting->count += !strcmp(identity->issuer, counting->issuer);
}

/* A user with the verified address as name, who is nobody else at this provider. */
static bool link_by_email(struct arrival *arrival, int64_t *rid, struct error *error)
{
        const char *email = oidc_claims_email(arrival->claims);
        struct counting counting = {arrival->issuer, 0};
        auto_store_user user = {0};

        if (!settings_current()->oidc_link_by_email || !email)
                return true;
        if (!store_user_find(arrival->call.db, email, &user, error)) {
                bool is_absent = error->code == ERROR_USER_NOT_FOUND;
                if (is_absent)
                        error_clear(error);
                return is_absent;
        }
        if (!store_identity_list(arrival->call.db, user.rid, count_of_issuer, &counting, error))
                return false;
        if (counting.count)
                return error_set(error, ERROR_PERMISSION_DENIED,
                                 "The user of this e-mail address is linked to another account there.");
        *rid = user.rid;
        return link_to(arrival, &user, "email", error);
}

/* Before there is an administrator nobody else comes in. */
static bool require_set_up(struct arrival *arrival, struct error *error)
{
        bool is_needed;

        if (!setup_is_needed(arrival->call.db, &is_needed, error))
                return false;
        return !is_needed || error_set(error, ERROR_PERMISSION_DENIED, "The server has no administrator yet.");
}

static bool create(struct arrival *arrival, int64_t *rid, struct error *error)
{
        const struct settings *settings = settings_current();
        const char *name = document_get_string(arrival->claims, settings->oidc_name_claim);
        auto_store_user user = {0};
        char id[ID_SIZE];

        if (!settings->oidc_create_users)
                return error_set(error, ERROR_PERMISSION_DENIED,
                                 "Nobody here is linked to this account; an administrator can link it.");
        if (!require_set_up(arrival, error))
                return false;
        if (!name || !user_name_is_valid(name))
                return error_set(error, ERROR_PERMISSION_DENIED,
                                 "The provider's claim %.64s gives no name that a user can have (" USER_NAME_SHAPE ").",
                                 settings->oidc_name_claim);
        if (!store_user_add(arrival->call.db, name, NULL, arrival->call.now, id, rid, error))
                return error->code == ERROR_CONFLICT
                               ? error_set(error, ERROR_PERMISSION_DENIED,
                                           "There is a user %.64s here already, who is not linked to this account; an "
                                           "administrator can link it.",
                                           name)
                               : false;
        const char *role = settings->oidc_default_role;
        if ((role && !role_bind_user(&arrival->call, name, role, NULL, error)) ||
            !audit_write(arrival->call.db, &actor_nobody, "user.add", name,
                         json_pack("{s:s, s:s*, s:s}", "id", id, "role", role, "by", "sign-in"), error) ||
            !store_user_find_rid(arrival->call.db, *rid, &user, error))
                return false;
        return link_to(arrival, &user, "creation", error);
}

bool oidc_person(const struct services *services, struct store_db *db, const json_t *claims, int64_t now, int64_t *user,
                 struct error *error)
{
        struct arrival arrival = {.call = {.services = (struct services *)(uintptr_t)services,
                                           .db = db,
                                           .actor = &actor_local,
                                           .source = "oidc",
                                           .now = now},
                                  .claims = claims,
                                  .issuer = document_get_string(claims, "iss"),
                                  .subject = document_get_string(claims, "sub")};

        *user = 0;
        if (!check_domain(claims, error) || !store_identity_find(db, arrival.issuer, arrival.subject, user, error))
                return false;
        if (*user)
                return true;
        if (!link_by_email(&arrival, user, error))
                return false;
        return *user || create(&arrival, user, error);
}
