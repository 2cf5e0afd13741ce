/* The shipped model catalogue, embedded from models.json. */
#ifndef SERVICES_MODELS_SHIPPED_H
#define SERVICES_MODELS_SHIPPED_H

extern const char models_shipped[];

#endif
