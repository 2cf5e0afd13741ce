/* Anything as what a judge has written: a verdict comes of it or not, and what was repaired is one object. The first
 * byte chooses the mode and the number of variants. */
#include <stdlib.h>
#include <string.h>

#include "server/services/verdict.h"
#include "server/services/verdict_repair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        if (!size)
                return 0;
        size_t variants = 1 + data[0] % 26;
        const char *bytes = (const char *)data + 1;
        auto_text repaired = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_verdict verdict = {0};

        verdict_of_bytes(bytes, size - 1, variants > 1, variants, &verdict);
        if (verdict_is_usable(&verdict) && verdict.parse < VERDICT_PARTIAL)
                abort();
        if (verdict.winner && (verdict.winner < 'A' || verdict.winner >= (char)('A' + variants)))
                abort();
        for (size_t i = 0; i < verdict.feedback_count; i++)
                for (size_t j = 0; j < verdict.feedback[i].count; j++)
                        if (verdict_priority(verdict.feedback[i].improvements[j].priority) > 2)
                                abort();
        if (verdict_repair(bytes, size - 1, &repaired) &&
            (*text_string(&repaired) != '{' || text_string(&repaired)[repaired.length - 1] != '}' ||
             !utf8_is_valid(repaired.data, repaired.length)))
                abort();
        return 0;
}
