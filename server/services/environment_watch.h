/* Internal to the registry of environments: says when the setup folder has changed.
 *
 * Watched with inotify are the setup folder, its folder environments and each folder in that. Changes are reported once
 * it has been quiet for a moment, so that an editor that writes, renames and deletes causes one reading. Whatever
 * cannot be watched is read every second instead. */
#ifndef SERVICES_ENVIRONMENT_WATCH_H
#define SERVICES_ENVIRONMENT_WATCH_H

#include "server/base/error.h"

struct environment_watch;

/* Watches from its return on, with a thread of its own. `changed` is called on that thread, never twice at once; when
 * it returns false it is called again a second later. NULL when there can be no thread. */
struct environment_watch *environment_watch_open(const char *setup_folder, bool (*changed)(void *context),
                                                 void *context, struct error *error);
/* Waits for `changed` to return. NULL is allowed. */
void environment_watch_close(struct environment_watch *watch);

#endif
