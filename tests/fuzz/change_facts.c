/* Anything as what a container tells of changes: packs lie behind one another in what it handed out, and ids are ids.
 */
#include <stdlib.h>
#include <string.h>

#include "server/services/changes_save.h"

#define PACKS_SIZE 1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_id(const char *text)
{
        return !text || (strlen(text) == 40 && strspn(text, "0123456789abcdef") == 40);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static const char *const names[] = {"app", "lib", "a.b"};
        CLEANUP(changes_set_clear) struct changes_set set = {.count = COUNT_OF(names)};
        auto_free char *facts = memory_new(size + 1);
        int64_t used = 0;

        memcpy(facts, data, size);
        for (size_t i = 0; i < set.count; i++)
                set.items[i] =
                        (struct store_saved_change){.repository = text_copy(names[i]), .state = text_copy("saved")};
        changes_facts_read(&set, facts, PACKS_SIZE);
        for (size_t i = 0; i < set.count; i++) {
                used += set.sizes[i];
                if (set.sizes[i] < 0 || set.offsets[i] < 0 || set.offsets[i] + set.sizes[i] > PACKS_SIZE ||
                    !is_id(set.items[i].tree) || !is_id(set.items[i].base) || json_array_size(set.left_out[i]) > 400)
                        abort();
        }
        if (used > PACKS_SIZE)
                abort();
        return 0;
}
