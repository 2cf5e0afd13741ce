// What the form of a new task becomes when it is sent.
import type { AgentModels, Template, TemplateParameter } from '../api/types'
import type { Attachment } from './attachments'

export interface TaskForm {
    environment: string
    template: string
    parameters: Record<string, string>
    instructions: string
    name: string
    agent: string
    model: string
    reasoningEffort: string
    branches: Record<string, string>
    staged: boolean
}

export const emptyForm: TaskForm = {
    environment: '',
    template: '',
    parameters: {},
    instructions: '',
    name: '',
    agent: '',
    model: '',
    reasoningEffort: '',
    branches: {},
    staged: false,
}

const given = (values: Record<string, string>) => {
    const kept = Object.entries(values).filter(([, value]) => value !== '')
    return kept.length ? Object.fromEntries(kept) : undefined
}

// The values that the template's parameters begin with.
export function parametersOf(template: Template | undefined): Record<string, string> {
    return Object.fromEntries((template?.parameters ?? []).map((one) => [one.name, one.default ?? '']))
}

export type ParameterControl = 'text' | 'textarea' | 'select' | 'checkbox' | 'date' | 'number'

export function controlOf(parameter: TemplateParameter): ParameterControl {
    if (parameter.type === 'boolean') return 'checkbox'
    if (parameter.type === 'textarea' || parameter.type === 'date' || parameter.type === 'number') return parameter.type
    const isChoice = parameter.options?.length && parameter.optionsEnforced !== false && !parameter.multiSelect
    return parameter.type === 'select' && isChoice ? 'select' : 'text'
}

// The reasoning efforts of a model, or of the one that is taken when none is chosen; undefined when that is not known.
export function effortsOf(models: AgentModels | undefined, model: string): string[] | undefined {
    return models?.models.find((one) => one.id === (model || models.defaultModel))?.reasoningEfforts
}

export function bodyOf(form: TaskForm, attachments: Attachment[], requestId: string): Record<string, unknown> {
    const body: Record<string, unknown> = {
        environment: form.environment,
        instructions: form.instructions || undefined,
        name: form.name.trim() || undefined,
        template: form.template || undefined,
        parameters: form.template ? given(form.parameters) : undefined,
        agent: form.agent || undefined,
        model: form.agent && form.model.trim() ? form.model.trim() : undefined,
        reasoningEffort: form.reasoningEffort || undefined,
        branches: given(form.branches),
        staged: form.staged || undefined,
        attachments: attachments.length ? attachments : undefined,
        requestId,
    }
    return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
}
