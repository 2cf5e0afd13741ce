/* The environment of the git program: the whole of its configuration. */
#ifndef GIT_COMMAND_ENVIRONMENT_H
#define GIT_COMMAND_ENVIRONMENT_H

/* "NAME=value" strings ended by NULL, on the heap and owned by the caller, who is about to call execve(2). `protocols`
 * is what GIT_ALLOW_PROTOCOL says; `header` (NULL: none) is sent with every HTTP request; in `alternates` (NULL: none),
 * a folder of objects, git looks for what the repository itself does not have. */
char **command_environment_new(const char *protocols, const char *header, const char *alternates);

#endif
