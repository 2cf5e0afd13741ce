// Where a refusal belongs on a form.
import { ApiError } from '../api/client'

// Fields that a code speaks of; the message of invalid_input begins with the field's name.
const fieldOfCode: Record<string, string> = {
    environment_not_found: 'environment',
    environment_disabled: 'environment',
    environment_not_built: 'environment',
    template_not_found: 'template',
    invalid_agent: 'agent',
    agent_auth_invalid: 'agent',
    invalid_model: 'model',
    invalid_reasoning_effort: 'reasoningEffort',
    invalid_speed: 'speed',
    speed_not_allowed: 'speed',
    invalid_attachment: 'attachments',
    unknown_parameter: 'parameters',
    missing_required_parameter: 'parameters',
    invalid_parameter: 'parameters',
    unknown_repository: 'branches',
    invalid_branch: 'branches',
    branch_selection_not_allowed: 'branches',
    invalid_totp_code: 'code',
    totp_required: 'code',
}

export function fieldOf(error: ApiError, fields: readonly string[]): string | null {
    const mapped = fieldOfCode[error.code]
    if (mapped && fields.includes(mapped)) return mapped
    const word = /^[A-Za-z]+/.exec(error.message)?.[0]
    return error.status === 400 && word && fields.includes(word) ? word : null
}

export class Faults {
    readonly #error: Error | null
    readonly #field: string | null

    // `fields` are the names of the form's fields, as the server calls them.
    constructor(error: Error | null, fields: readonly string[]) {
        this.#error = error
        this.#field = error instanceof ApiError ? fieldOf(error, fields) : null
    }

    // What is wrong with a field.
    of(field: string): string | undefined {
        return this.#field === field ? this.#error?.message : undefined
    }

    // What is wrong with no field in particular.
    get other(): string | undefined {
        return this.#field === null ? this.#error?.message : undefined
    }
}
