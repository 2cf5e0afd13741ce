#include "server/services/task.h"

const char *const task_agents[] = {"shell", NULL};
