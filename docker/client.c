#include "docker/client.h"

#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "docker/path.h"
#include "docker/pool.h"
#include "docker/request.h"

#define SCHEME "unix://"
#define TIMEOUT_MS 60000

static void start_curl(void)
{
        if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
                abort();
}

struct docker *docker_new(const char *host, struct error *error)
{
        static pthread_once_t once = PTHREAD_ONCE_INIT;
        const char *socket = (host ? host : DOCKER_HOST_DEFAULT) + strlen(SCHEME);

        if (host && strncmp(host, SCHEME, strlen(SCHEME)) != 0) {
                error_set(error, ERROR_INVALID_INPUT,
                          "the Docker host \"%.100s\" is not supported; it must be unix:///path/of/the.sock", host);
                return NULL;
        }
        if (socket[0] != '/' || strlen(socket) >= sizeof((struct sockaddr_un *)NULL)->sun_path) {
                error_set(error, ERROR_INVALID_INPUT,
                          "the Docker host \"%.100s\" needs an absolute path of at most %zu bytes", host,
                          sizeof((struct sockaddr_un *)NULL)->sun_path - 1);
                return NULL;
        }
        pthread_once(&once, start_curl);
        struct docker *docker = memory_new(sizeof *docker);
        memset(docker, 0, sizeof *docker);
        docker->socket = text_copy(socket);
        atomic_init(&docker->timeout, TIMEOUT_MS);
        pthread_mutex_init(&docker->mutex, NULL);
        return docker;
}

void docker_free(struct docker *docker)
{
        if (!docker)
                return;
        docker_pool_clear(docker);
        pthread_mutex_destroy(&docker->mutex);
        free(docker->socket);
        free(docker);
}

void docker_set_timeout(struct docker *docker, int64_t ms)
{
        atomic_store(&docker->timeout, ms);
}

/* The minor number of "1.MINOR", -1 for anything else. */
static int minor_of(const char *version)
{
        int minor, end = 0;

        return sscanf(version, "1.%4d%n", &minor, &end) == 1 && !version[end] ? minor : -1;
}

bool docker_negotiate(struct docker *docker, struct docker_version *version, struct error *error)
{
        struct docker_request request = {.method = "GET", .path = "/version", .is_unversioned = true};
        struct docker_version agreed = {0};
        auto_json *answer = docker_request_json(docker, &request, error);

        if (!answer)
                return false;
        docker_copy(answer, "ApiVersion", agreed.api_newest, sizeof agreed.api_newest);
        docker_copy(answer, "MinAPIVersion", agreed.api_oldest, sizeof agreed.api_oldest);
        docker_copy(answer, "Version", agreed.engine, sizeof agreed.engine);
        int newest = minor_of(agreed.api_newest), oldest = minor_of(agreed.api_oldest);
        int minor = newest < DOCKER_API_NEWEST_MINOR ? newest : DOCKER_API_NEWEST_MINOR;
        if (minor < DOCKER_API_OLDEST_MINOR || minor < oldest)
                return error_set(error, ERROR_ENGINE_INCOMPATIBLE,
                                 "the Docker engine %s speaks the API versions %s to %s; needed is one of 1.%d to 1.%d",
                                 agreed.engine, agreed.api_oldest[0] ? agreed.api_oldest : "?",
                                 agreed.api_newest[0] ? agreed.api_newest : "?", DOCKER_API_OLDEST_MINOR,
                                 DOCKER_API_NEWEST_MINOR);
        snprintf(agreed.api, sizeof agreed.api, "1.%d", minor);
        pthread_mutex_lock(&docker->mutex);
        docker->version = agreed;
        docker->has_version = true;
        pthread_mutex_unlock(&docker->mutex);
        if (version)
                *version = agreed;
        return true;
}

bool docker_prefix(struct docker *docker, char prefix[24], struct error *error)
{
        pthread_mutex_lock(&docker->mutex);
        bool is_known = docker->has_version;
        struct docker_version version = docker->version;
        pthread_mutex_unlock(&docker->mutex);
        if (!is_known && !docker_negotiate(docker, &version, error))
                return false;
        snprintf(prefix, 24, "/v%s", version.api);
        return true;
}

void docker_forget_version(struct docker *docker)
{
        pthread_mutex_lock(&docker->mutex);
        docker->has_version = false;
        pthread_mutex_unlock(&docker->mutex);
}

bool docker_info(struct docker *docker, struct docker_engine_info *info, struct error *error)
{
        struct docker_request request = {.method = "GET", .path = "/info"};
        auto_json *answer = docker_request_json(docker, &request, error);

        if (!answer)
                return false;
        *info = (struct docker_engine_info){0};
        docker_copy(answer, "ServerVersion", info->engine, sizeof info->engine);
        docker_copy(answer, "OperatingSystem", info->operating_system, sizeof info->operating_system);
        docker_copy(answer, "Architecture", info->architecture, sizeof info->architecture);
        docker_copy(answer, "KernelVersion", info->kernel, sizeof info->kernel);
        docker_copy(answer, "DockerRootDir", info->root, sizeof info->root);
        docker_copy(answer, "Driver", info->storage_driver, sizeof info->storage_driver);
        docker_copy(answer, "CgroupVersion", info->cgroup_version, sizeof info->cgroup_version);
        docker_copy(answer, "DefaultRuntime", info->default_runtime, sizeof info->default_runtime);
        info->memory = document_get_integer(answer, "MemTotal", 0);
        info->processors = (int)document_get_integer(answer, "NCPU", 0);
        info->containers_running = (int)document_get_integer(answer, "ContainersRunning", 0);
        info->images = (int)document_get_integer(answer, "Images", 0);
        info->has_live_restore = json_is_true(json_object_get(answer, "LiveRestoreEnabled"));
        info->has_memory_limit = json_is_true(json_object_get(answer, "MemoryLimit"));
        info->has_process_limit = json_is_true(json_object_get(answer, "PidsLimit"));
        return true;
}
