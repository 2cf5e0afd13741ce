/* The operations, by noun; server/route.def says where each is. */
#ifndef REST_OPERATIONS_H
#define REST_OPERATIONS_H

#include "server/rest/operation.h"
#include "server/rest/run.h"

/* session.c */
extern const struct rest_operation rest_login; /* described here, answered by rest_login_answer */
extern const struct rest_operation rest_logout, rest_login_options;
extern const struct field_table rest_login_output; /* what tells of a session that begins */
/* Checks name and password and begins a session, whose token goes into a cookie. Answers later. */
void rest_login_answer(const struct rest_door *door, struct http_request *request);

/* setup.c */
extern const struct rest_operation rest_setup_get, rest_setup;
/* me.c */
extern const struct rest_operation rest_me_get, rest_me_change, rest_me_password;
/* totp.c */
extern const struct rest_operation rest_totp_enrol, rest_totp_confirm, rest_totp_renew, rest_totp_remove,
        rest_totp_reset;
/* device.c */
extern const struct rest_operation rest_device_begin, rest_device_poll, rest_device_show, rest_device_decide;
/* identity.c */
extern const struct rest_operation rest_identity_list, rest_identity_link, rest_identity_unlink;
/* grant.c */
extern const struct rest_operation rest_grant_list, rest_grant_revoke, rest_grant_revoke_all;
/* key.c */
extern const struct rest_operation rest_key_list, rest_key_add, rest_key_revoke;
/* user.c */
extern const struct rest_operation rest_user_list, rest_user_add, rest_user_disable, rest_user_enable, rest_user_remove,
        rest_user_password;
/* team.c */
extern const struct rest_operation rest_team_list, rest_team_add, rest_team_join, rest_team_leave;
/* access.c */
extern const struct rest_operation rest_role_list, rest_binding_list, rest_binding_add, rest_binding_remove,
        rest_access_explain;
/* environment.c */
extern const struct rest_operation rest_environment_list, rest_environment_get;
/* build.c */
extern const struct rest_operation rest_build_start, rest_build_list, rest_build_get, rest_build_cancel,
        rest_build_output;
/* setting.c */
extern const struct rest_operation rest_setting_list, rest_setting_set, rest_setting_unset;
/* mcp_server.c */
extern const struct rest_operation rest_mcp_server;
/* audit.c */
extern const struct rest_operation rest_audit_list;
/* container.c */
extern const struct rest_operation rest_model_list;
extern const struct rest_operation rest_spending_get;
extern const struct rest_operation rest_container_list, rest_retention_preview;
/* vault.c */
extern const struct rest_operation rest_secret_list, rest_secret_set, rest_secret_remove;
extern const struct rest_operation rest_account_list, rest_account_set, rest_account_remove;
/* task.c */
extern const struct rest_operation rest_task_files, rest_task_share, rest_task_start, rest_task_delete;

/* follow_up.c */
extern const struct rest_operation rest_queue_entry_edit, rest_queue_entry_remove, rest_queue_entry_send;

/* comment.c */
extern const struct rest_operation rest_comment_add, rest_comment_edit, rest_comment_remove;

/* judge.c */
extern const struct rest_operation rest_judge_resubmit, rest_judge_apply_winner;

/* review.c */
extern const struct rest_operation rest_review_loop_get, rest_review_loop_stop, rest_review_loop_continue,
        rest_group_automatic_reviews, rest_task_automatic_reviews;

/* comment.c */
extern const struct rest_operation rest_comment_add, rest_comment_edit, rest_comment_remove;

/* rewind.c */
extern const struct rest_operation rest_task_rewind;
extern const struct rest_operation rest_app_access;

/* upload.c */
extern const struct rest_operation rest_upload_receive; /* described here, answered by rest_upload_answer */
extern const struct rest_operation rest_upload_list, rest_upload_remove;
/* Keeps the body's file for a later submission of the caller's. Answers later. */
void rest_upload_answer(const struct rest_door *door, struct http_request *request);

/* file.c: answers with a file of the task `:taskId`, or the byte range of it that is asked for (RFC 9110, section 14).
 * Answers later. */
void rest_file_answer(const struct rest_door *door, struct http_request *request);

#endif
