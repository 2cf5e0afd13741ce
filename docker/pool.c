#include "docker/pool.h"

/* A unix socket connects at once or not at all; this bounds an engine whose backlog is full. */
#define CONNECT_TIMEOUT_MS 3000L

static void handle_free(struct docker_handle handle)
{
        curl_easy_cleanup(handle.easy);
        curl_multi_cleanup(handle.multi);
}

void docker_pool_prepare(const struct docker *docker, CURL *easy)
{
        curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, docker->socket);
        curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
}

struct docker_handle docker_pool_take(struct docker *docker)
{
        struct docker_handle handle = {0};

        pthread_mutex_lock(&docker->mutex);
        if (docker->idle_count > 0)
                handle = docker->idle[--docker->idle_count];
        pthread_mutex_unlock(&docker->mutex);
        if (!handle.easy) {
                handle.easy = curl_easy_init();
                handle.multi = curl_multi_init();
                if (!handle.easy || !handle.multi)
                        abort();
        }
        docker_pool_prepare(docker, handle.easy);
        return handle;
}

void docker_pool_put(struct docker *docker, struct docker_handle handle)
{
        bool is_kept = false;

        curl_easy_reset(handle.easy);
        pthread_mutex_lock(&docker->mutex);
        if (docker->idle_count < DOCKER_IDLE_MAXIMUM) {
                docker->idle[docker->idle_count++] = handle;
                is_kept = true;
        }
        pthread_mutex_unlock(&docker->mutex);
        if (!is_kept)
                handle_free(handle);
}

void docker_pool_clear(struct docker *docker)
{
        pthread_mutex_lock(&docker->mutex);
        while (docker->idle_count > 0)
                handle_free(docker->idle[--docker->idle_count]);
        pthread_mutex_unlock(&docker->mutex);
}
