/* The operations, by noun; server/route.def says where each is. */
#ifndef REST_OPERATIONS_H
#define REST_OPERATIONS_H

#include "server/rest/operation.h"
#include "server/rest/run.h"

/* session.c */
extern const struct rest_operation rest_login; /* described here, answered by rest_login_answer */
extern const struct rest_operation rest_logout;
/* Checks name and password and begins a session, whose token goes into a cookie. Answers later. */
void rest_login_answer(const struct rest_door *door, struct http_request *request);

/* me.c */
extern const struct rest_operation rest_me_get, rest_me_change, rest_me_password;
/* key.c */
extern const struct rest_operation rest_key_list, rest_key_add, rest_key_revoke;
/* user.c */
extern const struct rest_operation rest_user_list, rest_user_add, rest_user_disable, rest_user_enable,
        rest_user_password;
/* task.c */
extern const struct rest_operation rest_task_files, rest_task_share, rest_task_start, rest_task_delete;

#endif
