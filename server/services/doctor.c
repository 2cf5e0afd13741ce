#include "server/services/doctor.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timex.h>

#include "docker/client.h"
#include "docker/image.h"
#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/seal.h"

#define MEGABYTE (INT64_C(1024) * 1024)
#define DISK_FAILED_BYTES (64 * MEGABYTE)
#define DISK_WARNING_BYTES (2048 * MEGABYTE)
/* The clock is wrong when it is before this program was written. */
#define CLOCK_EARLIEST INT64_C(1735689600000)
#define CLOCK_SLACK_MS INT64_C(60000)

enum outcome { OK, WARNING, FAILED };

/* Writes a sentence about what was found. */
typedef enum outcome check(struct call *call, struct text *message);

static enum outcome check_engine(struct call *call, struct text *message)
{
        struct docker_version version;
        struct docker_engine_info info;
        auto_error error = {0};

        if (!docker_negotiate(call->services->docker, &version, &error) ||
            !docker_info(call->services->docker, &info, &error)) {
                text_printf(message, "%s; the setting DOCKER_HOST is %s", error.message,
                            settings_current()->docker_host);
                return FAILED;
        }
        text_printf(message, "Docker %s, API %s, cgroup v%s, %s", version.engine, version.api, info.cgroup_version,
                    info.operating_system);
        if (info.has_memory_limit && info.has_process_limit)
                return OK;
        text_append_string(message, "; the kernel cannot limit memory and processes");
        return WARNING;
}

static enum outcome check_image(struct call *call, struct text *message)
{
        auto_error error = {0};

        if (docker_image_inspect(call->services->docker, DOCTOR_IMAGE, NULL, &error)) {
                text_printf(message, "%s is there", DOCTOR_IMAGE);
                return OK;
        }
        text_printf(message, "%s is not there: %s", DOCTOR_IMAGE, error.message);
        return error.code == ERROR_IMAGE_NOT_FOUND ? WARNING : FAILED;
}

static enum outcome check_data_folder(struct call *call, struct text *message)
{
        const char *folder = call->services->data_folder;
        struct stat info;

        if (stat(folder, &info)) {
                text_printf(message, "%s does not exist; `longshored serve` makes it", folder);
                return FAILED;
        }
        text_printf(message, "%s, mode %03o, owner %u", folder, info.st_mode & 0777, info.st_uid);
        if (info.st_uid != geteuid()) {
                text_printf(message, "; it should belong to %u", geteuid());
                return FAILED;
        }
        if (!(info.st_mode & 077))
                return OK;
        text_append_string(message, "; others can look into it: chmod 700");
        return WARNING;
}

static enum outcome check_setup_folder(struct call *call, struct text *message)
{
        const char *set = settings_current()->setup_folder;
        auto_free char *folder = set ? text_copy(set) : path_join(call->services->data_folder, "setup");
        struct stat info;

        if (stat(folder, &info) || !S_ISDIR(info.st_mode)) {
                text_printf(message, "%s does not exist; `longshored serve` makes it", folder);
                return WARNING;
        }
        text_printf(message, "%s, mode %03o, owner %u", folder, info.st_mode & 0777, info.st_uid);
        if (!(info.st_mode & 02))
                return OK;
        text_append_string(message, "; everybody may write to it, which gives them the server");
        return FAILED;
}

static enum outcome check_disk(struct call *call, struct text *message)
{
        int64_t available = path_free_space(call->services->data_folder);

        if (available < 0) {
                text_append_string(message, "the free space cannot be told");
                return WARNING;
        }
        text_printf(message, "%" PRId64 " MiB free", available / MEGABYTE);
        return available < DISK_FAILED_BYTES ? FAILED : available < DISK_WARNING_BYTES ? WARNING : OK;
}

/* A file of ours that was written in the future shows a clock that went back. */
static bool is_behind_store(const char *data_folder, int64_t now)
{
        auto_free char *path = path_join(data_folder, "store.db");
        struct stat info;

        return !stat(path, &info) && (int64_t)info.st_mtime * 1000 > now + CLOCK_SLACK_MS;
}

static enum outcome check_clock(struct call *call, struct text *message)
{
        struct timex state = {0};
        int64_t now = clock_now();
        char iso[CLOCK_ISO_SIZE];

        clock_format(now, iso);
        text_append_string(message, iso);
        if (now < CLOCK_EARLIEST || is_behind_store(call->services->data_folder, now)) {
                text_append_string(message, "; the clock is behind: set it before the server runs");
                return FAILED;
        }
        if (adjtimex(&state) != TIME_ERROR)
                return OK;
        text_append_string(message, "; it is not synchronised with a time server");
        return OK;
}

static enum outcome check_store(struct call *call, struct text *message)
{
        auto_error error = {0};

        if (!call->db) {
                text_append_string(message, "the store cannot be opened");
                return FAILED;
        }
        if (!store_check(call->db, &error)) {
                text_append_string(message, error.message);
                return FAILED;
        }
        struct store_counters counters = store_counters(call->services->store);
        text_printf(message, "whole, %" PRId64 " KiB", counters.database_bytes / 1024);
        if (!store_is_low(call->services->store))
                return OK;
        text_append_string(message, "; the disk is so full that nothing new begins");
        return FAILED;
}

static enum outcome check_secrets(struct call *call, struct text *message)
{
        auto_free char *path = path_join(call->services->data_folder, SEAL_KEY_NAME);
        auto_error error = {0};
        int64_t count;
        struct stat info;

        if (!call->db) {
                text_append_string(message, "the store cannot be opened");
                return FAILED;
        }
        if (!seal_check(call->services, call->db, &count, &error)) {
                text_append_string(message, error.message);
                return FAILED;
        }
        text_printf(message, "%" PRId64 " sealed values", count);
        if (stat(path, &info) || !(info.st_mode & 077))
                return OK;
        text_printf(message, "; others can read %s: chmod 600", path);
        return FAILED;
}

static enum outcome check_git(struct call *call, struct text *message)
{
        const char *path = getenv("PATH");
        auto_free char *folders = text_copy(path ? path : "/usr/bin:/bin");
        char *rest = folders;

        (void)call;
        for (char *folder; (folder = strsep(&rest, ":"));) {
                auto_free char *program = path_join(folder, "git");
                if (access(program, X_OK) == 0) {
                        text_append_string(message, program);
                        return OK;
                }
        }
        text_append_string(message, "git is not installed");
        return FAILED;
}

static const struct {
        const char *name;
        check *run;
} checks[] = {
        {"engine", check_engine},
        {"image", check_image},
        {"data folder", check_data_folder},
        {"setup folder", check_setup_folder},
        {"disk", check_disk},
        {"clock", check_clock},
        {"store", check_store},
        {"secrets", check_secrets},
        {"git", check_git},
};

bool doctor_run(struct call *call, json_t **result, struct error *error)
{
        static const char *const words[] = {[OK] = "ok", [WARNING] = "warning", [FAILED] = "failed"};
        auto_json *list = json_array();
        bool is_healthy = true;

        if (!access_require(call->actor, PERMISSION_SETTINGS_VIEW, error))
                return false;
        for (size_t i = 0; i < COUNT_OF(checks); i++) {
                auto_text message = TEXT_WITH_MAXIMUM(1000);
                enum outcome outcome = checks[i].run(call, &message);
                is_healthy = is_healthy && outcome != FAILED;
                json_array_append_new(list,
                                      json_pack("{s:s, s:s, s:o}", "check", checks[i].name, "status", words[outcome],
                                                "message", document_text(text_string(&message), message.length)));
        }
        *result = json_pack("{s:b, s:O}", "healthy", is_healthy, "checks", list);
        return true;
}
