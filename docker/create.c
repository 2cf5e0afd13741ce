#include <string.h>

#include "docker/container.h"
#include "docker/path.h"
#include "docker/request.h"

#define MIB ((int64_t)1 << 20)
#define PIDS_DEFAULT 512
#define SHARED_BYTES_DEFAULT (64 * MIB)
#define OPEN_FILES_DEFAULT 4096
#define TMPFS_BYTES_DEFAULT (256 * MIB)
#define STOP_TIMEOUT_DEFAULT_S 10
/* Above the server's own score, so that the kernel ends a task before the server. */
#define OOM_SCORE 500

static int64_t or_default(int64_t value, int64_t fallback)
{
        return value ? value : fallback;
}

static json_t *ulimit(const char *name, int64_t value)
{
        return json_pack("{s:s, s:I, s:I}", "Name", name, "Soft", (json_int_t)value, "Hard", (json_int_t)value);
}

static json_t *ulimits(const struct docker_container_spec *spec)
{
        json_t *limits = json_array();

        json_array_append_new(limits, ulimit("nofile", or_default(spec->open_files, OPEN_FILES_DEFAULT)));
        json_array_append_new(limits, ulimit("core", 0));
        if (spec->file_bytes)
                json_array_append_new(limits, ulimit("fsize", spec->file_bytes));
        return limits;
}

/* Binds by "Mounts", not "Binds": the engine would create a missing source of the latter as a folder of root. */
static json_t *mounts(const struct docker_container_spec *spec)
{
        json_t *list = json_array();

        for (size_t i = 0; i < spec->mount_count; i++) {
                const struct docker_mount *mount = &spec->mounts[i];
                json_array_append_new(list,
                                      json_pack("{s:s, s:o, s:o, s:b}", "Type", "bind", "Source",
                                                document_string(mount->source), "Target",
                                                document_string(mount->target), "ReadOnly", (int)mount->is_read_only));
        }
        return list;
}

/* "exec" is written out because the engine adds noexec otherwise, and agents unpack helper programs there. */
static json_t *tmpfs(const struct docker_container_spec *spec)
{
        json_t *list = json_object();
        auto_free char *tmp = text_format("rw,exec,nosuid,nodev,size=%lld,mode=1777",
                                          (long long)or_default(spec->tmp_bytes, TMPFS_BYTES_DEFAULT));

        json_object_set_new(list, "/tmp", document_string(tmp));
        if (spec->home) {
                auto_free char *home = text_format("rw,exec,nosuid,nodev,size=%lld,uid=%u,gid=%u,mode=0700",
                                                   (long long)or_default(spec->home_bytes, TMPFS_BYTES_DEFAULT),
                                                   spec->home_uid, spec->home_gid);
                json_object_set_new(list, spec->home, document_string(home));
        }
        return list;
}

static json_t *log_config(const struct docker_container_spec *spec)
{
        if (!spec->keeps_log)
                return json_pack("{s:s}", "Type", "none");
        return json_pack("{s:s, s:{s:s, s:s}}", "Type", "json-file", "Config", "max-size", "8m", "max-file", "1");
}

static json_t *host_config(const struct docker_container_spec *spec)
{
        json_t *config =
                json_pack("{s:b, s:{s:s}, s:[s], s:[s, s, s, s], s:[s], s:b, s:s, s:i}", "Init",
                          (int)!spec->is_without_init, "RestartPolicy", "Name", "no", "CapDrop", "ALL", "CapAdd",
                          "SETUID", "SETGID", "KILL", "SETPCAP", "SecurityOpt", "no-new-privileges:true",
                          "ReadonlyRootfs", 1, "IpcMode", "private", "OomScoreAdj", OOM_SCORE);

        json_object_set_new(config, "NetworkMode", document_string(spec->network ? spec->network : "none"));
        json_object_set_new(config, "LogConfig", log_config(spec));
        json_object_set_new(config, "Mounts", mounts(spec));
        json_object_set_new(config, "Tmpfs", tmpfs(spec));
        json_object_set_new(config, "Ulimits", ulimits(spec));
        json_object_set_new(config, "PidsLimit", json_integer(or_default(spec->pids, PIDS_DEFAULT)));
        json_object_set_new(config, "ShmSize", json_integer(or_default(spec->shared_bytes, SHARED_BYTES_DEFAULT)));
        json_object_set_new(config, "NanoCpus", json_integer(spec->nano_cpus));
        json_object_set_new(config, "Memory", json_integer(spec->memory));
        /* Equal to Memory: no swap beside it. */
        json_object_set_new(config, "MemorySwap", json_integer(spec->memory));
        if (spec->extra_hosts)
                json_object_set_new(config, "ExtraHosts", docker_strings(spec->extra_hosts));
        return config;
}

static json_t *container_config(const struct docker_container_spec *spec)
{
        json_t *config = json_pack("{s:o, s:o, s:s, s:I, s:o, s:o, s:o}", "Image", document_string(spec->image), "User",
                                   document_string(spec->user ? spec->user : "0:0"), "StopSignal", "SIGTERM",
                                   "StopTimeout", (json_int_t)or_default(spec->stop_timeout_s, STOP_TIMEOUT_DEFAULT_S),
                                   "Labels", docker_pairs_object(spec->labels, spec->label_count), "Env",
                                   docker_pairs_array(spec->environment, spec->environment_count), "HostConfig",
                                   host_config(spec));

        if (spec->command)
                json_object_set_new(config, "Cmd", docker_strings(spec->command));
        if (spec->working_dir)
                json_object_set_new(config, "WorkingDir", document_string(spec->working_dir));
        if (spec->hostname)
                json_object_set_new(config, "Hostname", document_string(spec->hostname));
        return config;
}

bool docker_container_create(struct docker *docker, const struct docker_container_spec *spec, char id[DOCKER_ID_SIZE],
                             struct error *error)
{
        auto_json *body = container_config(spec);
        auto_docker_path path = DOCKER_PATH;

        text_append_string(&path, "/containers/create");
        docker_path_query(&path, "name", spec->name);
        struct docker_request request = {
                .method = "POST", .path = text_string(&path), .operation = DOCKER_ON_CREATE, .body = body};
        auto_json *answer = docker_request_json(docker, &request, error);
        if (!answer)
                return false;
        const char *made = document_get_string(answer, "Id");
        if (!made || strlen(made) != DOCKER_ID_SIZE - 1)
                return error_set(error, ERROR_ENGINE_FAILED,
                                 "the Docker engine created a container without telling its id");
        docker_copy(answer, "Id", id, DOCKER_ID_SIZE);
        return true;
}
