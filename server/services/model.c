#include "server/services/model.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/document.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/models_shipped.h"
#include "server/services/vault.h"

#define FILE_MAXIMUM (1024 * 1024)
#define STANDARD "standard"
#define ULTRAFAST "ultrafast"

const char *const model_speeds[] = {STANDARD, "fast", ULTRAFAST, NULL};

/* Which file a catalogue was read from, and how it was then. */
struct version {
        char *path;
        dev_t device;
        ino_t inode;
        off_t size;
        struct timespec modified;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static json_t *latest; /* under the lock, with its version */
static struct version latest_version;

static struct version version_of(const char *path)
{
        struct version version = {.path = (char *)path};
        struct stat info;

        if (!stat(path, &info)) {
                version.device = info.st_dev;
                version.inode = info.st_ino;
                version.size = info.st_size;
                version.modified = info.st_mtim;
        }
        return version;
}

static bool is_same(const struct version *a, const struct version *b)
{
        return a->path && b->path && !strcmp(a->path, b->path) && a->device == b->device && a->inode == b->inode &&
               a->size == b->size && a->modified.tv_sec == b->modified.tv_sec &&
               a->modified.tv_nsec == b->modified.tv_nsec;
}

static json_t *read_catalogue(const char *path)
{
        auto_text content = TEXT_WITH_MAXIMUM(FILE_MAXIMUM);
        auto_error error = {0};
        bool is_missing = false;
        json_t *own = NULL;

        if (path_read(path, FILE_MAXIMUM, &content, &is_missing, &error))
                own = document_parse(text_string(&content), content.length, &error);
        if (!own && !is_missing)
                log_warning("models.json cannot be used; the shipped catalogue is", "reason", error.message);
        return own ? own : json_loads(models_shipped, 0, NULL);
}

json_t *model_catalogue(const struct services *services)
{
        auto_free char *path = path_join(services->data_folder, "models.json");
        struct version version = version_of(path);

        pthread_mutex_lock(&lock);
        if (!latest || !is_same(&version, &latest_version)) {
                json_decref(latest);
                latest = read_catalogue(path);
                free(latest_version.path);
                latest_version = version;
                latest_version.path = text_copy(path);
        }
        json_t *catalogue = json_incref(latest);
        pthread_mutex_unlock(&lock);
        return catalogue;
}

static void append_ids(struct text *out, const json_t *models)
{
        json_t *model;
        size_t i;

        json_array_foreach((json_t *)models, i, model)
                text_printf(out, "%s%s", i ? ", " : "", document_get_string(model, "id"));
}

static const json_t *find_model(const json_t *models, const char *id)
{
        json_t *model;
        size_t i;

        json_array_foreach((json_t *)models, i, model)
        {
                const char *known = document_get_string(model, "id");
                if (known && !strcmp(known, id))
                        return model;
        }
        return NULL;
}

static bool has_word(const json_t *list, const char *word)
{
        json_t *entry;
        size_t i;

        json_array_foreach((json_t *)list, i,
                           entry) if (json_is_string(entry) && !strcmp(json_string_value(entry), word)) return true;
        return false;
}

static char *words_of(const json_t *list)
{
        struct text out = TEXT_WITH_MAXIMUM(400);
        json_t *entry;
        size_t i;

        json_array_foreach((json_t *)list, i, entry) text_printf(&out, "%s%s", i ? ", " : "", json_string_value(entry));
        return text_take(&out);
}

static int rank(const char *speed)
{
        int at = 0;

        while (model_speeds[at] && strcmp(model_speeds[at], speed))
                at++;
        return at;
}

/* What Codex is told of an endpoint of one's own. */
static bool check_endpoint(struct store_db *db, const struct environment *environment, int64_t owner,
                           struct error *error)
{
        bool is_custom;

        return vault_gives_variable(db, environment, owner, "OPENAI_BASE_URL", &is_custom, error) &&
               (!is_custom || error_set(error, ERROR_SPEED_INVALID, "speed: a custom endpoint offers only standard"));
}

static bool check_speed(const struct environment *environment, const char *agent, const char *model_id,
                        const json_t *model, const char *speed, struct error *error)
{
        const struct settings *settings = settings_current();

        if (strcmp(agent, "codex"))
                return error_set(error, ERROR_SPEED_INVALID, "speed: only codex offers speeds");
        if (!strcmp(speed, STANDARD))
                return true;
        if (!has_word(json_object_get(model, "speeds"), speed))
                return error_set(error, ERROR_SPEED_INVALID, "speed: %s does not offer %s", model_id, speed);
        if (rank(speed) > rank(settings->codex_speed))
                return error_set(error, ERROR_SPEED_DENIED, "speed: the server allows %s at most (CODEX_SPEED)",
                                 settings->codex_speed);
        if (rank(speed) > rank(environment->file.codexSpeed))
                return error_set(error, ERROR_SPEED_DENIED, "speed: the environment allows %s at most (codexSpeed)",
                                 environment->file.codexSpeed);
        return true;
}

bool model_check(const struct services *services, struct store_db *db, const struct environment *environment,
                 int64_t owner, const char *agent, const struct model_choice *choice, struct error *error)
{
        if (!choice->model && !choice->effort && !choice->speed)
                return true;
        auto_json *catalogue = model_catalogue(services);
        const json_t *row = json_object_get(catalogue, agent), *models = json_object_get(row, "models");
        const char *id = choice->model ? choice->model : document_get_string(row, "default");
        const json_t *model = id ? find_model(models, id) : NULL;
        if (choice->model && !model) {
                auto_text known = TEXT_WITH_MAXIMUM(400);
                append_ids(&known, models);
                return error_set(error, ERROR_MODEL_INVALID, "model: %s has no model %.100s; it has: %s", agent,
                                 choice->model, known.length ? text_string(&known) : "none to choose from");
        }
        const json_t *efforts = json_object_get(model, "efforts");
        if (choice->effort && !has_word(efforts, choice->effort)) {
                auto_free char *known = words_of(efforts);
                return error_set(error, ERROR_EFFORT_INVALID, "reasoningEffort: %s offers %s", id ? id : agent,
                                 *known ? known : "none");
        }
        if (!choice->speed)
                return true;
        return check_speed(environment, agent, id ? id : agent, model, choice->speed, error) &&
               (!strcmp(choice->speed, STANDARD) || check_endpoint(db, environment, owner, error));
}
