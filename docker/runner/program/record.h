/* Exit records on disk. Their space is taken before a run begins, so that a full disk cannot lose one: the record
 * overwrites a reserved file in place, which is then renamed. All functions return false with errno. */
#ifndef RUNNER_PROGRAM_RECORD_H
#define RUNNER_PROGRAM_RECORD_H

#include "docker/runner/message.h"

/* Takes the space for the record of a run; one that was taken before is kept. */
MUST_CHECK bool record_reserve(const char *control, const char *run);
/* Fills up the spare reservations, as far as there is room: for runs whose own reservation fails. */
void record_fill_spares(const char *control);
/* Writes the record of exit->run, durably, into its reservation, else into a spare one, else into a new file. */
MUST_CHECK bool record_write(const char *control, const struct runner_exit *exit);
/* Whether the run has an exit record. */
bool record_exists(const char *control, const char *run);

#endif
