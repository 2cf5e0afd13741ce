/* Puts right what judges get wrong about JSON, without guessing at what they meant. */
#ifndef SERVICES_VERDICT_REPAIR_H
#define SERVICES_VERDICT_REPAIR_H

#include "server/base/text.h"

/* Appends the one JSON object in the bytes: without a byte order mark, a code fence and prose around it, without commas
 * before a closing bracket, with raw control characters in strings escaped and invalid UTF-8 replaced. False when there
 * is no object, or more than one, so that none is picked. Whether what is appended is valid is for a parser to say. */
bool verdict_repair(const char *bytes, size_t length, struct text *out);

#endif
