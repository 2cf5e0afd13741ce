#include "server/services/setup_code.h"

#include <string.h>
#include <unistd.h>

#include "server/base/path.h"
#include "server/base/secret.h"

bool setup_code_make(const char *data_folder, char code[SETUP_CODE_SIZE], struct error *error)
{
        auto_free char *path = path_join(data_folder, SETUP_CODE_NAME);

        letter_code_new(code, SETUP_CODE_LETTERS);
        return path_write(path, code, SETUP_CODE_SIZE - 1, 0600, error);
}

bool setup_code_is_right(const char *data_folder, const char *typed)
{
        auto_free char *path = path_join(data_folder, SETUP_CODE_NAME);
        auto_text expected = TEXT_WITH_MAXIMUM(SETUP_CODE_SIZE);
        char code[SETUP_CODE_SIZE];
        auto_error error = {0};
        bool is_missing;

        return letter_code_read(typed, code, SETUP_CODE_LETTERS) &&
               path_read(path, SETUP_CODE_SIZE, &expected, &is_missing, &error) &&
               expected.length == SETUP_CODE_SIZE - 1 && secret_is_equal(code, expected.data, SETUP_CODE_SIZE - 1);
}

void setup_code_remove(const char *data_folder)
{
        auto_free char *path = path_join(data_folder, SETUP_CODE_NAME);

        unlink(path);
}
