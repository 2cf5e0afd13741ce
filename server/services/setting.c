#include "server/services/setting.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "server/base/document.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/audit.h"
#include "server/services/runtime.h"
#include "server/services/seal.h"
#include "server/services/setting_secret.h"
#include "server/services/write.h"
#include "server/store/setting.h"

#define CONFIG_MAXIMUM 65536
#define NAME_MAXIMUM 64

static const char *const source_names[] = {
        [SETTING_DEFAULT] = "default",         [SETTING_STORED] = "stored", [SETTING_FILE] = "config.json",
        [SETTING_ENVIRONMENT] = "environment", [SETTING_FLAG] = "flag",
};

/* Old snapshots are kept: whoever took one may still read it. */
struct snapshot {
        struct settings settings;
        struct field_memory memory;
        json_t *document;
        struct snapshot *previous;
};

/* `mutex` guards the values of each source and the making of snapshots. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static json_t *values[SETTING_SOURCE_COUNT];
static _Atomic(struct snapshot *) current;

static json_t *value_of(const char *name, enum setting_source *source)
{
        for (int i = SETTING_SOURCE_COUNT - 1; i > SETTING_DEFAULT; i--) {
                json_t *value = json_object_get(values[i], name);
                if (value) {
                        *source = (enum setting_source)i;
                        return value;
                }
        }
        *source = SETTING_DEFAULT;
        return NULL;
}

/* What is to be in force: of a row that acts at the next start, what has been so far. */
static json_t *next_value(const struct field *row, bool is_start)
{
        const struct snapshot *last = atomic_load(&current);
        enum setting_source source;

        return row->is_late && last && !is_start ? json_object_get(last->document, row->name)
                                                 : value_of(row->name, &source);
}

static bool publish(bool is_start, struct error *error)
{
        struct snapshot *snapshot = memory_new(sizeof *snapshot);

        snapshot->document = json_object();
        for (size_t i = 0; i < settings_table.count; i++) {
                const struct field *row = &settings_table.rows[i];
                json_object_set(snapshot->document, row->name, next_value(row, is_start));
        }
        if (!field_read(&settings_table, snapshot->document, &snapshot->memory, &snapshot->settings, error)) {
                json_decref(snapshot->document);
                free(snapshot);
                return false;
        }
        snapshot->previous = atomic_load(&current);
        atomic_store(&current, snapshot);
        return true;
}

const struct settings *settings_current(void)
{
        struct snapshot *snapshot = atomic_load(&current);
        auto_error error = {0};

        if (!snapshot) {
                pthread_mutex_lock(&mutex);
                if (!atomic_load(&current) && !publish(true, &error))
                        abort();
                pthread_mutex_unlock(&mutex);
                snapshot = atomic_load(&current);
        }
        return &snapshot->settings;
}

const struct field *setting_find(const char *name, struct error *error)
{
        auto_free const char **names = memory_new(settings_table.count * sizeof *names);
        char published[NAME_MAXIMUM];
        size_t length = 0;

        for (; name[length] && length < sizeof published - 1; length++)
                published[length] = name[length] == '-' ? '_' : (char)toupper((unsigned char)name[length]);
        published[length] = '\0';
        const struct field *row = field_find(&settings_table, published);
        if (row)
                return row;
        for (size_t i = 0; i < settings_table.count; i++)
                names[i] = settings_table.rows[i].name;
        const char *nearest = field_nearest(published, names, settings_table.count);
        error_set(error, ERROR_NOT_FOUND, "there is no setting %.100s%s%s%s", name, nearest ? "; did you mean " : "",
                  nearest ? nearest : "", nearest ? "?" : "");
        return NULL;
}

/* What an older or newer program stored and this one does not accept must not keep the server from starting. */
static void take_stored(const char *name, const char *text, void *context)
{
        auto_error error = {0};
        const struct field *row = setting_find(name, &error);
        json_t *value = row ? field_value_of_text(row, text, &error) : NULL;

        if (value)
                json_object_set_new(context, row->name, value);
        else
                log_warning("a stored setting is ignored", "name", name, "reason", error.message);
}

static bool read_file(const char *data_folder, json_t **out, struct error *error)
{
        auto_free char *path = path_join(data_folder, "config.json");
        auto_text text = TEXT_WITH_MAXIMUM(CONFIG_MAXIMUM);
        auto_field_memory memory = {0};
        struct settings checked;
        bool is_missing = false;

        if (!path_read(path, CONFIG_MAXIMUM, &text, &is_missing, error)) {
                if (!is_missing)
                        return false;
                error_clear(error);
                *out = json_object();
                return true;
        }
        auto_json *document = document_parse(text_string(&text), text.length, error);
        if (!document || !field_read(&settings_table, document, &memory, &checked, error))
                return error_prefix(error, "%s", path);
        *out = take(document);
        return true;
}

static bool read_environment(json_t **out, struct error *error)
{
        auto_json *document = json_object();

        for (size_t i = 0; i < settings_table.count; i++) {
                const struct field *row = &settings_table.rows[i];
                const char *text = getenv(row->name);
                if (!text || !*text)
                        continue;
                json_t *value = field_value_of_text(row, text, error);
                if (!value)
                        return error_prefix(error, "the environment variable %s", row->name);
                json_object_set_new(document, row->name, value);
        }
        *out = take(document);
        return true;
}

bool settings_load(struct store_db *db, const char *data_folder, json_t *flags, struct error *error)
{
        auto_json *stored = json_object(), *file = json_object(), *environment = NULL;

        if (db && !store_setting_list(db, take_stored, stored, error))
                return false;
        if (data_folder) {
                json_decref(take(file));
                if (!read_file(data_folder, &file, error))
                        return false;
        }
        if (!read_environment(&environment, error))
                return false;
        json_t *sources[SETTING_SOURCE_COUNT] = {
                [SETTING_STORED] = stored,
                [SETTING_FILE] = file,
                [SETTING_ENVIRONMENT] = environment,
                [SETTING_FLAG] = flags,
        };
        pthread_mutex_lock(&mutex);
        for (int i = 0; i < SETTING_SOURCE_COUNT; i++) {
                json_decref(values[i]);
                values[i] = json_incref(sources[i]);
        }
        bool is_good = publish(true, error);
        pthread_mutex_unlock(&mutex);
        return is_good;
}

static const struct field get_rows[] = {
        STRING_FIELD(struct setting_get_input, name, .minimum = 1, .maximum = NAME_MAXIMUM,
                     .help = "The setting; all without it."),
};
const struct field_table setting_get_table = FIELD_TABLE(struct setting_get_input, get_rows);

static const struct field set_rows[] = {
        STRING_FIELD(struct setting_set_input, name, .is_required = true, .minimum = 1, .maximum = NAME_MAXIMUM,
                     .help = "The setting."),
        STRING_FIELD(struct setting_set_input, value, .is_required = true, .maximum = 4000, .help = "Its new value."),
};
const struct field_table setting_set_table = FIELD_TABLE(struct setting_set_input, set_rows);

static const struct field secret_rows[] = {
        STRING_FIELD(struct setting_set_input, name, .is_required = true, .minimum = 1, .maximum = NAME_MAXIMUM,
                     .help = "The setting."),
        STRING_FIELD(struct setting_set_input, value, .is_required = true, .maximum = 4000, .format = "password",
                     .help = "Its new value."),
};
const struct field_table setting_secret_table = FIELD_TABLE(struct setting_set_input, secret_rows);

static const struct field unset_rows[] = {
        STRING_FIELD(struct setting_get_input, name, .is_required = true, .minimum = 1, .maximum = NAME_MAXIMUM,
                     .help = "The setting."),
};
const struct field_table setting_unset_table = FIELD_TABLE(struct setting_get_input, unset_rows);

static json_t *default_of(const struct field *row)
{
        switch (row->type) {
        case FIELD_INTEGER:
                return json_integer(row->preset);
        case FIELD_BOOLEAN:
                return json_boolean(row->preset);
        default:
                return document_string(row->text_preset);
        }
}

/* {name, value, source} of a setting now; a secret is only told to be there. */
static json_t *describe(const struct field *row)
{
        enum setting_source source;

        pthread_mutex_lock(&mutex);
        json_t *value = json_incref(value_of(row->name, &source));
        pthread_mutex_unlock(&mutex);
        if (value && setting_is_secret(row)) {
                json_decref(value);
                value = json_string(source == SETTING_STORED ? SETTING_SEALED : SETTING_HIDDEN);
        }
        return json_pack("{s:s, s:o, s:s}", "name", row->name, "value", value ? value : default_of(row), "source",
                         source_names[source]);
}

bool setting_get(struct call *call, const struct setting_get_input *input, json_t **result, struct error *error)
{
        auto_json *list = json_array();

        if (!access_require(call->actor, PERMISSION_SETTINGS_VIEW, error))
                return false;
        if (input->name) {
                const struct field *row = setting_find(input->name, error);
                if (!row)
                        return false;
                *result = describe(row);
                return true;
        }
        for (size_t i = 0; i < settings_table.count; i++)
                json_array_append_new(list, describe(&settings_table.rows[i]));
        *result = json_pack("{s:O}", "settings", list);
        return true;
}

struct change {
        const struct field *row;
        json_t *value; /* NULL: remove it */
        const char *text;
        const char *secret; /* sealed beside it */
};

static bool check_pins(const struct field *row, struct error *error)
{
        enum setting_source source;

        pthread_mutex_lock(&mutex);
        value_of(row->name, &source);
        pthread_mutex_unlock(&mutex);
        switch (source) {
        case SETTING_FILE:
                return error_set(error, ERROR_CONFLICT,
                                 "%s is pinned by config.json in the data folder; change it there", row->name);
        case SETTING_ENVIRONMENT:
                return error_set(error, ERROR_CONFLICT, "%s is pinned by the server's environment variable %s",
                                 row->name, row->name);
        case SETTING_FLAG:
                return error_set(error, ERROR_CONFLICT, "%s is pinned by a flag on the server's command line",
                                 row->name);
        default:
                return true;
        }
}

static bool change_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct change *change = context;

        (void)result;
        if (change->value ? !store_setting_put(call->db, change->row->name, change->text, call->now, error)
                          : !store_setting_delete(call->db, change->row->name, error))
                return false;
        if (setting_is_secret(change->row) && !setting_secret_put(call, change->row, change->secret, error))
                return false;
        return audit_write(call->db, call->actor, change->value ? "setting.set" : "setting.unset", change->row->name,
                           change->value ? json_pack("{s:O}", "value", change->value) : NULL, error);
}

static bool take_change(const struct change *change, struct error *error)
{
        pthread_mutex_lock(&mutex);
        if (!values[SETTING_STORED])
                values[SETTING_STORED] = json_object();
        if (change->value)
                json_object_set(values[SETTING_STORED], change->row->name, change->value);
        else
                json_object_del(values[SETTING_STORED], change->row->name);
        bool is_good = publish(false, error);
        pthread_mutex_unlock(&mutex);
        return is_good;
}

/* One change at a time, so that what is in force is what was committed last. */
static bool apply(struct call *call, const struct change *change, json_t **result, struct error *error)
{
        static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
        json_t *nothing = NULL;

        pthread_mutex_lock(&changing);
        bool is_good = check_pins(change->row, error) && call_write(call, change_work, change, &nothing, error) &&
                       take_change(change, error);
        pthread_mutex_unlock(&changing);
        if (!is_good)
                return false;
        runtime_wake(call->services->runtime);
        *result = describe(change->row);
        return true;
}

bool setting_set(struct call *call, const struct setting_set_input *input, json_t **result, struct error *error)
{
        if (!access_require(call->actor, PERMISSION_SETTINGS_MANAGE, error))
                return false;
        const struct field *row = setting_find(input->name, error);
        if (!row)
                return false;
        auto_json *value = field_value_of_text(row, input->value, error);
        if (!value || !setting_is_secret(row))
                return value && apply(call, &(struct change){row, value, input->value, NULL}, result, error);
        auto_json *mark = json_string(SETTING_SEALED);
        return seal_prepare(call->services, call->db, error) &&
               apply(call, &(struct change){row, mark, SETTING_SEALED, input->value}, result, error);
}

bool setting_unset(struct call *call, const struct setting_get_input *input, json_t **result, struct error *error)
{
        if (!access_require(call->actor, PERMISSION_SETTINGS_MANAGE, error))
                return false;
        const struct field *row = setting_find(input->name, error);
        return row && apply(call, &(struct change){.row = row}, result, error);
}
