#include "server/services/backup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/archive.h"
#include "server/services/audit.h"
#include "server/services/write.h"

#define ARGUMENTS_MAXIMUM 32
/* What the names of the folders begin with in which the store is copied. */
#define STAGE "backup"
#define STAGE_LETTERS 16

static const struct field rows[] = {
        STRING_FIELD(struct backup_input, file, .is_required = true, .minimum = 1, .maximum = 4000, .format = "path",
                     .help = "The tar file to make."),
        BOOLEAN_FIELD(struct backup_input, withKey, .help = "Also the key file and the git credentials."),
};
const struct field_table backup_table = FIELD_TABLE(struct backup_input, rows);

/* What of the data folder goes in when it is there. */
static const struct {
        const char *name;
        bool is_secret;
} parts[] = {
        {"config.json", false}, {"records", false}, {"changes", false}, {"key", true}, {"git-credentials", true},
};

/* The command line of tar; its strings are owned. */
struct arguments {
        char *list[ARGUMENTS_MAXIMUM + 1];
        size_t count;
};

static void arguments_clear(struct arguments *arguments)
{
        for (size_t i = 0; i < arguments->count; i++)
                free(arguments->list[i]);
}

static void append(struct arguments *arguments, const char *argument)
{
        if (arguments->count < ARGUMENTS_MAXIMUM)
                arguments->list[arguments->count++] = text_copy(argument);
}

static void append_parts(struct arguments *arguments, const char *data_folder, bool with_key, json_t *contents)
{
        append(arguments, "-C");
        append(arguments, data_folder);
        for (size_t i = 0; i < COUNT_OF(parts); i++) {
                auto_free char *path = path_join(data_folder, parts[i].name);
                if ((parts[i].is_secret && !with_key) || access(path, F_OK))
                        continue;
                append(arguments, parts[i].name);
                json_array_append_new(contents, json_string(parts[i].name));
        }
}

/* The setup folder may lie anywhere; its members are renamed, and only they begin with a dot. */
static void append_setup(struct arguments *arguments, const char *data_folder, json_t *contents)
{
        const char *set = settings_current()->setup_folder;
        auto_free char *folder = set ? text_copy(set) : path_join(data_folder, "setup");

        if (access(folder, F_OK))
                return;
        append(arguments, "-C");
        append(arguments, folder);
        append(arguments, ".");
        json_array_append_new(contents, json_string("setup"));
}

static bool copy_store(struct call *call, const char *stage, json_t *contents, struct error *error)
{
        auto_free char *store = path_join(stage, "store.db"), *manifest = path_join(stage, "manifest.json");
        auto_json *document = json_pack("{s:i, s:s, s:o, s:O}", "format", 1, "version", LONGSHORE_VERSION, "createdAt",
                                        document_time(call->now), "contents", contents);
        auto_free char *printed = document_print(document);

        return store_backup(call->db, store, error) && path_write(manifest, printed, strlen(printed), 0600, error);
}

static bool write_archive(struct call *call, const char *stage, const char *target, bool with_key, json_t *contents,
                          struct error *error)
{
        CLEANUP(arguments_clear) struct arguments arguments = {0};
        auto_free char *file = text_format("--file=%s", target);

        append(&arguments, "tar");
        append(&arguments, "--create");
        append(&arguments, file);
        append(&arguments, "--numeric-owner");
        append(&arguments, "--transform=flags=rh;s,^\\.\\(/\\|$\\),setup\\1,");
        append(&arguments, "-C");
        append(&arguments, stage);
        append(&arguments, "manifest.json");
        append(&arguments, "store.db");
        append_parts(&arguments, call->services->data_folder, with_key, contents);
        append_setup(&arguments, call->services->data_folder, contents);
        return copy_store(call, stage, contents, error) && archive_run(arguments.list, true, error);
}

/* An empty file of mode 0600, which tar then fills: nobody else can read it at any time. */
static bool make_private(const char *path, struct error *error)
{
        auto_fd file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

        return file >= 0 || error_set(error, ERROR_INVALID_INPUT, "%s cannot be made: %s", path, strerror(errno));
}

static bool settle(const char *temporary, const char *file, int64_t *bytes, struct error *error)
{
        auto_fd opened = open(temporary, O_RDONLY | O_CLOEXEC);
        struct stat info;

        if (opened < 0 || fstat(opened, &info) || fsync(opened) || link(temporary, file) || !path_sync_folder_of(file))
                return error_set(error, errno == EEXIST ? ERROR_CONFLICT : ERROR_INTERNAL, "%s cannot be made: %s",
                                 file, strerror(errno));
        *bytes = info.st_size;
        return true;
}

static bool audit_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        const struct backup_input *backup = input;

        (void)result;
        return audit_write(call->db, call->actor, "backup", backup->file,
                           json_pack("{s:b}", "withKey", backup->withKey), error);
}

/* Nothing that a person may have put there is called so: the letters are those of an id. */
static bool is_stage(const char *folder, const char *name)
{
        static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
        auto_free char *path = path_join(folder, name);
        struct stat info;

        return !strncmp(name, STAGE "-", sizeof STAGE) && strspn(name + sizeof STAGE, letters) == STAGE_LETTERS &&
               !name[sizeof STAGE + STAGE_LETTERS] && !lstat(path, &info) && S_ISDIR(info.st_mode);
}

void backup_clean(const char *data_folder)
{
        DIR *listing = opendir(data_folder);
        const struct dirent *entry;

        while (listing && (entry = readdir(listing))) {
                auto_free char *path = path_join(data_folder, entry->d_name);
                auto_error error = {0};
                if (!is_stage(data_folder, entry->d_name))
                        continue;
                if (path_remove_tree(path, &error))
                        log_info("a backup that was not finished is removed", "folder", path);
                else
                        log_warning("a backup that was not finished stays", "reason", error.message);
        }
        if (listing)
                closedir(listing);
}

bool backup_run(struct call *call, const struct backup_input *input, json_t **result, struct error *error)
{
        char stage_id[ID_SIZE];
        auto_json *contents = json_pack("[s]", "store.db");
        json_t *nothing = NULL;
        int64_t bytes = 0;

        if (!call->actor->grants->is_administrator)
                return error_set(error, ERROR_PERMISSION_DENIED, "only a server administrator makes a backup");
        if (*input->file != '/')
                return error_set(error, ERROR_INVALID_INPUT, "file must be an absolute path");
        if (!access(input->file, F_OK))
                return error_set(error, ERROR_CONFLICT, "%s exists already; name another file", input->file);
        id_new(STAGE, stage_id);
        auto_free char *stage = path_join(call->services->data_folder, stage_id);
        auto_free char *temporary = text_format("%s.%s", input->file, stage_id);
        auto_error ignored = {0};
        bool is_good = path_make_folder(stage, 0700, error) && make_private(temporary, error) &&
                       write_archive(call, stage, temporary, input->withKey, contents, error) &&
                       settle(temporary, input->file, &bytes, error) &&
                       call_write(call, audit_work, input, &nothing, error);
        unlink(temporary);
        if (!path_remove_tree(stage, &ignored) && is_good)
                return error_move(error, &ignored);
        if (is_good)
                *result = json_pack("{s:s, s:I, s:O}", "file", input->file, "bytes", (json_int_t)bytes, "contents",
                                    contents);
        return is_good;
}
