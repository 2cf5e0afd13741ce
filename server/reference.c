#include "server/reference.h"

#include <string.h>

#include "server/base/error.h"
#include "server/services/permission.h"
#include "server/services/setting.h"

static void print_settings(struct text *out)
{
        text_append_string(out, "# Settings\n\nA value comes from, in rising order: `longshored setting set`, the file "
                                "`config.json` in the data folder, the environment variable of the same name, the flag "
                                "(`--http-threads` for `HTTP_THREADS`). Each but the first pins the setting.\n\n");
        field_document(&settings_table, out);
}

static void print_errors(struct text *out)
{
        text_append_string(out, "# Errors\n\n| code | status | meaning |\n|---|---|---|\n");
        for (int i = 1; i < ERROR_COUNT; i++) {
                const struct error_kind *kind = error_kind((enum error_code)i);
                text_printf(out, "| `%s` | %d | %s |\n", kind->code, kind->status, kind->sentence);
        }
}

static void print_permissions(struct text *out)
{
        text_append_string(out, "# Permissions\n\n| permission | scope | allows |\n|---|---|---|\n");
        for (int i = 0; i < PERMISSION_COUNT; i++) {
                const struct permission_row *row = permission_row((enum permission)i);
                text_printf(out, "| `%s` | %s | %s |\n", row->string,
                            row->scope == PERMISSION_SCOPE_SERVER ? "server" : "environment", row->sentence);
        }
}

static const struct {
        const char *name;
        void (*print)(struct text *out);
} sections[] = {
        {"settings", print_settings},
        {"permissions", print_permissions},
        {"errors", print_errors},
};

static const char *const section_names[] = {"settings", "permissions", "errors", NULL};

static const struct field rows[] = {
        STRING_FIELD(struct reference_input, section, .choices = section_names, .help = "Only this section."),
};
const struct field_table reference_table = FIELD_TABLE(struct reference_input, rows);

void reference_print(const char *section, struct text *out)
{
        for (size_t i = 0; i < COUNT_OF(sections); i++) {
                if (section && strcmp(section, sections[i].name))
                        continue;
                if (out->length)
                        text_append_string(out, "\n");
                sections[i].print(out);
        }
}
