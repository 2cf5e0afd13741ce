// The form that makes a task.
import { useRef, useState } from 'preact/hooks'
import { address, get, path, post } from '../api/client'
import type { AgentModels, Environment, Environments, Models, NewTask, Templates } from '../api/types'
import { Attach, takesFiles } from '../components/attach'
import { Fault, Field, SelectField, TextField } from '../components/field'
import { Parameters } from '../components/parameters'
import { Title } from '../components/title'
import { Failed, Wait } from '../components/wait'
import { useAction } from '../lib/action'
import { withUploads } from '../lib/attachments'
import { Faults } from '../lib/faults'
import { uuid } from '../lib/id'
import { useLoaded } from '../lib/loaded'
import { go, place } from '../lib/router'
import { useStore } from '../lib/store'
import { bodyOf, effortsOf, emptyForm, parametersOf, type TaskForm } from '../lib/task-form'

const fields = [
    'environment',
    'template',
    'parameters',
    'instructions',
    'name',
    'agent',
    'model',
    'reasoningEffort',
    'branches',
    'attachments',
]

// The same request keeps its id, so that sending it once more does not make a second task.
function useRequestId(): (content: string) => string {
    const last = useRef({ content: '', id: '' })
    return (content) => {
        if (last.current.content !== content) last.current = { content, id: uuid() }
        return last.current.id
    }
}

function Branches({ environment, form, change, fault }: PartProps & { environment: Environment }) {
    return (
        <fieldset>
            <legend>Branches to start from</legend>
            <Fault text={fault} />
            {environment.repositories?.map((repository) => (
                <TextField
                    key={repository.name}
                    label={repository.name}
                    isOptional
                    autocomplete="off"
                    placeholder={repository.branch ?? ''}
                    value={form.branches[repository.name] ?? ''}
                    onValue={(branch) => change({ branches: { ...form.branches, [repository.name]: branch } })}
                />
            ))}
        </fieldset>
    )
}

interface PartProps {
    form: TaskForm
    change: (part: Partial<TaskForm>) => void
    fault?: string | undefined
}

interface ChoiceProps {
    label: string
    value: string
    onValue: (value: string) => void
    error?: string | undefined
    hint?: string | undefined
}

// A choice of what is known, or free text where nothing is.
function Choice({ known, first, ...rest }: ChoiceProps & { known: string[] | undefined; first: string }) {
    if (!known) return <TextField isOptional autocomplete="off" {...rest} />
    return <SelectField {...rest} options={[{ value: '', label: first }, ...known]} />
}

interface AgentProps extends PartProps {
    environment: Environment
    models: AgentModels | undefined
    faults: Faults
}

function AgentFields({ environment, form, change, models, faults }: AgentProps) {
    const efforts = effortsOf(models, form.model)
    return (
        <div class="columns">
            <SelectField
                label="Agent"
                value={form.agent}
                onValue={(agent) => change({ agent, model: '', reasoningEffort: '' })}
                error={faults.of('agent')}
                options={[
                    { value: '', label: environment.defaultAgent ? `the default (${environment.defaultAgent})` : 'the default' },
                    ...(environment.agents ?? []),
                ]}
            />
            <Choice
                label="Model"
                known={models?.models.map((model) => model.id)}
                first={models?.defaultModel ? `the default (${models.defaultModel})` : 'the default'}
                value={form.model}
                onValue={(model) => change({ model, reasoningEffort: '' })}
                error={faults.of('model')}
                hint={form.agent ? undefined : 'Choose an agent first.'}
            />
            <Choice
                label="Reasoning effort"
                known={efforts}
                first="the default"
                value={form.reasoningEffort}
                onValue={(reasoningEffort) => change({ reasoningEffort })}
                error={faults.of('reasoningEffort')}
            />
        </div>
    )
}

function TaskFields({ environments }: { environments: Environment[] }) {
    const asked = useStore(place).query.get('env')
    const open = environments.filter((one) => one.canCreateTasks && one.status !== 'disabled')
    const first = open.find((one) => one.name === asked) ?? open[0]
    const [form, setForm] = useState<TaskForm>({ ...emptyForm, environment: first?.name ?? '' })
    const [files, setFiles] = useState<File[]>([])
    const requestId = useRequestId()
    const environment = open.find((one) => one.name === form.environment)
    const templates = useLoaded(environment?.name ?? null, (signal) =>
        get<Templates>(path`/environments/${environment?.name ?? ''}/templates`, {}, signal),
    )
    const offered = useLoaded('all', (signal) => get<Models>('/models', { limit: 100 }, signal))
    const models = offered.value?.agents.find((one) => one.agent === form.agent)
    const template = templates.value?.templates.find((one) => one.name === form.template)
    const change = (part: Partial<TaskForm>) => setForm((before) => ({ ...before, ...part }))
    const action = useAction(async () => {
        const id = requestId(JSON.stringify([form, files.map((file) => [file.name, file.size, file.lastModified])]))
        const made = await withUploads(files, (attachments) => post<NewTask>('/tasks', bodyOf(form, attachments, id)))
        go(address('/task.html', made.taskId ? { id: made.taskId } : { groupId: made.groupId ?? undefined }))
    })
    const faults = new Faults(action.error, fields)
    if (!environment) return <p class="empty">There is no environment in which you may create tasks.</p>
    return (
        <form
            class="task-form"
            {...takesFiles(files, setFiles)}
            onSubmit={(event) => {
                event.preventDefault()
                void action.run()
            }}
        >
            <div class="columns">
                <SelectField
                    label="Environment"
                    value={form.environment}
                    onValue={(name) => change({ ...emptyForm, instructions: form.instructions, name: form.name, environment: name })}
                    error={faults.of('environment')}
                    hint={environment.description}
                    options={open.map((one) => one.name)}
                />
                <SelectField
                    label="Template"
                    value={form.template}
                    onValue={(name) => {
                        const chosen = templates.value?.templates.find((one) => one.name === name)
                        change({ template: name, parameters: parametersOf(chosen) })
                    }}
                    error={faults.of('template') ?? templates.error?.message}
                    hint={template?.description}
                    options={[
                        { value: '', label: 'none' },
                        ...(templates.value?.templates ?? []).map((one) => ({
                            value: one.name,
                            label: one.title ?? one.name,
                            disabled: Boolean(one.brokenReason),
                        })),
                    ]}
                />
            </div>
            {template?.parameters && template.parameters.length > 0 && (
                <Parameters
                    parameters={template.parameters}
                    values={form.parameters}
                    onValues={(parameters) => change({ parameters })}
                    error={faults.of('parameters')}
                />
            )}
            <Field
                label="Instructions"
                isOptional={Boolean(template)}
                error={faults.of('instructions')}
                hint="What the agent is to do, complete in itself. Files can be dropped here."
            >
                {(control) => (
                    <textarea
                        {...control}
                        name="instructions"
                        rows={8}
                        required={!template}
                        value={form.instructions}
                        onInput={(event) => change({ instructions: event.currentTarget.value })}
                    />
                )}
            </Field>
            <Attach files={files} onFiles={setFiles} />
            <Fault text={faults.of('attachments')} />
            <TextField
                label="Name"
                name="name"
                isOptional
                autocomplete="off"
                maxLength={120}
                value={form.name}
                onValue={(name) => change({ name })}
                error={faults.of('name')}
            />
            <AgentFields environment={environment} form={form} change={change} models={models} faults={faults} />
            {environment.repositories && environment.repositories.length > 0 && (
                <Branches environment={environment} form={form} change={change} fault={faults.of('branches')} />
            )}
            <label class="check">
                <input
                    type="checkbox"
                    checked={form.staged}
                    onChange={(event) => change({ staged: event.currentTarget.checked })}
                />
                Prepare it only; I start it later
            </label>
            <Fault text={faults.other} />
            <div class="buttons">
                <button class="primary" disabled={action.isBusy}>
                    {form.staged ? 'Prepare the task' : 'Create the task'}
                </button>
            </div>
        </form>
    )
}

export function NewTaskPage() {
    const found = useLoaded('all', (signal) => get<Environments>('/environments', { limit: 100 }, signal))
    return (
        <>
            <Title text="New task" />
            {found.error && <Failed error={found.error} onRetry={found.reload} />}
            {!found.value && !found.error && <Wait what="the environments" />}
            {found.value && <TaskFields environments={found.value.environments} />}
        </>
    )
}
