/* GET /health and GET /metrics: how the server is, for those who watch it. */
#ifndef REST_HEALTH_H
#define REST_HEALTH_H

#include "server/http/request.h"
#include "server/services/services.h"

/* Answers 200 with the report of server/services/health.h, also while it says "degraded": the process lives and
 * answers, and a restart would not help. Waits for nothing. */
void rest_health(struct http_request *request, const struct services *services);

/* Whether the metrics are for this client: one on the same machine, or the bearer of settings:view. Numbers are no
 * secrets, but how much a server is used concerns nobody outside. A request that a proxy on the machine has passed on
 * (X-Forwarded-For, Forwarded) needs the bearer too. Otherwise it has answered. */
MUST_CHECK bool rest_metrics_authenticate(struct http_request *request, struct store_db *reader);
/* Answers in the Prometheus text format. */
void rest_metrics(struct http_request *request, const struct services *services, struct store_db *reader);

#endif
