#include "server/services/totp.h"

#include "server/rest/operations.h"
#include "server/services/user.h"

static const struct field enrol_rows[] = {
        OUT_STRING("secret", .is_required = true, .help = "For the app, in base32: it is shown this once."),
        OUT_STRING("uri", .is_required = true, .help = "The same as otpauth:// URI, for a QR code."),
        OUT_STRING("algorithm", .is_required = true, .help = "SHA1."),
        OUT_INTEGER("digits", .is_required = true, .help = "Of a code."),
        OUT_INTEGER("period", .is_required = true, .help = "Seconds that a code holds."),
};
static const struct field_table enrol_output = OUTPUT_TABLE("authenticator", enrol_rows);

REST_SERVICE(totp_enrol, struct totp_enrol_input)
const struct rest_operation rest_totp_enrol = {
        .input = &totp_enrol_table, .output = &enrol_output, .mode = REST_BLOCKS, .status = 201, .run = run_totp_enrol};

static const struct field codes_rows[] = {
        OUT_BOOLEAN("enrolled", .is_required = true, .help = "A code goes with the password now."),
        OUT_STRINGS("recoveryCodes", .is_required = true, .help = "Each good for one sign-in: shown this once."),
};
static const struct field_table codes_output = OUTPUT_TABLE("recovery codes", codes_rows);

REST_SERVICE(totp_confirm, struct totp_confirm_input)
const struct rest_operation rest_totp_confirm = {
        .input = &totp_confirm_table, .output = &codes_output, .mode = REST_BLOCKS, .run = run_totp_confirm};

REST_SERVICE(totp_renew, struct totp_proof_input)
const struct rest_operation rest_totp_renew = {
        .input = &totp_proof_table, .output = &codes_output, .mode = REST_BLOCKS, .run = run_totp_renew};

static const struct field removed_rows[] = {
        OUT_BOOLEAN("enrolled", .is_required = true, .help = "Whether a code is still needed."),
};
static const struct field_table removed_output = OUTPUT_TABLE("authenticator removed", removed_rows);

REST_SERVICE(totp_remove, struct totp_proof_input)
const struct rest_operation rest_totp_remove = {
        .input = &totp_proof_table, .output = &removed_output, .mode = REST_BLOCKS, .run = run_totp_remove};

static const struct field reset_rows[] = {
        OUT_STRING("name", .is_required = true, .help = "The user."),
        OUT_BOOLEAN("enrolled", .is_required = true, .help = "Whether a code is still needed."),
};
static const struct field_table reset_output = OUTPUT_TABLE("authenticator reset", reset_rows);

REST_SERVICE(totp_reset, struct user_name_input)
const struct rest_operation rest_totp_reset = {
        .input = &user_name_table, .output = &reset_output, .mode = REST_BLOCKS, .run = run_totp_reset};
