/* The page where a person lets a program on another machine have a key: plain HTML, without scripts. */
#ifndef REST_DEVICE_PAGE_H
#define REST_DEVICE_PAGE_H

#include "server/rest/run.h"

/* GET /device?code=CODE: asks for sign-in, for the code, or whether the program may. */
void rest_device_page(const struct rest_door *door, struct http_request *request);
/* POST /device/sign-in, a form of user, password, code and userCode. Answers later. */
void rest_device_sign_in(const struct rest_door *door, struct http_request *request);
/* POST /device, a form of userCode, decision (allow or deny) and csrf. Answers later. */
void rest_device_decide_form(const struct rest_door *door, struct http_request *request);

#endif
