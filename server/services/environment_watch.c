#include "server/services/environment_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>

#include "server/base/clock.h"
#include "server/base/path.h"
#include "server/services/build_context.h"
#include "server/services/environment_file.h"
#include "server/services/environment_folder.h"

#define QUIET_MS 100
/* Changes that never stop are reported all the same. */
#define LATEST_MS 500
#define RETRY_MS 1000
/* Network file systems do not tell of changes made elsewhere, and a link to the setup folder may be turned. */
#define CHECK_MS 60000

#define CHANGES                                                                                                        \
        (IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF |           \
         IN_MOVE_SELF | IN_ONLYDIR)

/* One watched folder. */
struct watched {
        int handle;
        enum { WATCHED_SETUP, WATCHED_ENVIRONMENTS, WATCHED_ENVIRONMENT } kind;
};

struct watched_list {
        struct watched *items;
        size_t count;
};

struct environment_watch {
        char *setup, *folder;
        bool (*changed)(void *context);
        void *context;
        int inotify, stop;
        struct watched_list watched;
        bool is_blind, has_failed;
        int64_t first, last; /* changes not yet reported, 0 for none */
        int64_t read_at;
        pthread_t thread;
};

/* False when the folder cannot be watched. */
static bool add_watch(struct environment_watch *watch, struct watched_list *list, const char *path, int kind)
{
        int handle = inotify_add_watch(watch->inotify, path, CHANGES);

        if (handle < 0)
                return false;
        list->items = memory_resize(list->items, (list->count + 1) * sizeof *list->items);
        list->items[list->count++] = (struct watched){handle, kind};
        return true;
}

static const struct watched *find_watched(const struct watched_list *list, int handle)
{
        for (size_t i = 0; i < list->count; i++)
                if (list->items[i].handle == handle)
                        return &list->items[i];
        return NULL;
}

/* An environment's folder that is gone again is no failure: its parent's watch tells. */
static bool add_environments(struct environment_watch *watch, struct watched_list *list)
{
        auto_environment_names names = {0};
        auto_error ignored = {0};
        bool is_good = true;

        auto_fd folder = open(watch->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0 || !environment_folder_list(folder, &names, &ignored))
                return false;
        for (size_t i = 0; i < names.count; i++) {
                auto_free char *path = path_join(watch->folder, names.items[i]);
                if (!add_watch(watch, list, path, WATCHED_ENVIRONMENT) && errno != ENOENT && errno != ENOTDIR)
                        is_good = false;
        }
        return is_good;
}

/* Watches what is there now, and what has been moved away no longer. */
static void place_watches(struct environment_watch *watch)
{
        struct watched_list list = {0};

        if (watch->inotify < 0)
                watch->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        watch->is_blind = !add_watch(watch, &list, watch->setup, WATCHED_SETUP);
        watch->is_blind |= !add_watch(watch, &list, watch->folder, WATCHED_ENVIRONMENTS);
        watch->is_blind |= !add_environments(watch, &list);
        for (size_t i = 0; i < watch->watched.count; i++)
                if (!find_watched(&list, watch->watched.items[i].handle))
                        inotify_rm_watch(watch->inotify, watch->watched.items[i].handle);
        free(watch->watched.items);
        watch->watched = list;
}

static bool is_relevant(const struct environment_watch *watch, const struct inotify_event *event)
{
        const struct watched *watched = find_watched(&watch->watched, event->wd);

        if (event->mask & IN_Q_OVERFLOW)
                return true;
        if (!watched)
                return false;
        if (!event->len)
                return true;
        switch (watched->kind) {
        case WATCHED_SETUP:
                return !strcmp(event->name, ENVIRONMENT_FOLDER_NAME);
        case WATCHED_ENVIRONMENTS:
                return event->name[0] != '.';
        case WATCHED_ENVIRONMENT:
                return !strcmp(event->name, ENVIRONMENT_FILE_NAME) || !strcmp(event->name, BUILD_DOCKERFILE) ||
                       !strcmp(event->name, BUILD_SETUP);
        }
        return true;
}

/* Whether anything of ours has changed. A queue that cannot be read is given up and made anew. */
static bool read_events(struct environment_watch *watch)
{
        _Alignas(struct inotify_event) char buffer[16384];
        bool is_any = false;

        for (;;) {
                ssize_t got = read(watch->inotify, buffer, sizeof buffer);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0 && errno == EAGAIN)
                        return is_any;
                if (got <= 0) {
                        close(watch->inotify);
                        watch->inotify = -1;
                        watch->watched.count = 0;
                        return true;
                }
                for (char *at = buffer; at < buffer + got;) {
                        const struct inotify_event *event = (const void *)at;
                        is_any |= is_relevant(watch, event);
                        at += sizeof *event + event->len;
                }
        }
}

/* When the folder is to be read next, on the monotonic clock. */
static int64_t due_at(const struct environment_watch *watch)
{
        if (watch->first)
                return watch->last + QUIET_MS < watch->first + LATEST_MS ? watch->last + QUIET_MS
                                                                         : watch->first + LATEST_MS;
        return watch->read_at + (watch->is_blind || watch->has_failed ? RETRY_MS : CHECK_MS);
}

/* The watches come first: what changes while the folder is read is then reported again. */
static void read_again(struct environment_watch *watch)
{
        watch->first = 0;
        place_watches(watch);
        watch->has_failed = !watch->changed(watch->context);
        watch->read_at = clock_monotonic();
}

static void *watch_loop(void *argument)
{
        struct environment_watch *watch = argument;

        pthread_setname_np(pthread_self(), "environments");
        for (;;) {
                struct pollfd polled[] = {{.fd = watch->inotify, .events = POLLIN},
                                          {.fd = watch->stop, .events = POLLIN}};
                int64_t wait = due_at(watch) - clock_monotonic();
                poll(polled, COUNT_OF(polled), wait > 0 ? (int)wait : 0);
                if (polled[1].revents)
                        return NULL;
                int64_t now = clock_monotonic();
                if (polled[0].revents && read_events(watch)) {
                        watch->last = now;
                        watch->first = watch->first ? watch->first : now;
                }
                if (now >= due_at(watch))
                        read_again(watch);
        }
}

static void watch_release(struct environment_watch *watch)
{
        if (watch->inotify >= 0)
                close(watch->inotify);
        if (watch->stop >= 0)
                close(watch->stop);
        free(watch->watched.items);
        free(watch->setup);
        free(watch->folder);
        free(watch);
}

struct environment_watch *environment_watch_open(const char *setup_folder, bool (*changed)(void *context),
                                                 void *context, struct error *error)
{
        struct environment_watch *watch = memory_new(sizeof *watch);

        watch->setup = text_copy(setup_folder);
        watch->folder = path_join(setup_folder, ENVIRONMENT_FOLDER_NAME);
        watch->changed = changed;
        watch->context = context;
        watch->inotify = -1;
        watch->stop = eventfd(0, EFD_CLOEXEC);
        place_watches(watch);
        watch->read_at = clock_monotonic();
        if (watch->stop < 0 || pthread_create(&watch->thread, NULL, watch_loop, watch)) {
                error_set(error, ERROR_INTERNAL, "the setup folder cannot be watched: there can be no thread for it");
                watch_release(watch);
                return NULL;
        }
        return watch;
}

void environment_watch_close(struct environment_watch *watch)
{
        if (!watch)
                return;
        eventfd_write(watch->stop, 1);
        pthread_join(watch->thread, NULL);
        watch_release(watch);
}
