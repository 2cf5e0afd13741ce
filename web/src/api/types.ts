// What the page reads of the server's answers. build/check-api.mjs holds these against /openapi.json.

export const statuses = ['staged', 'queued', 'running', 'completed', 'failed', 'interrupted'] as const
export type Status = (typeof statuses)[number]

export interface Person {
    id: string
    name?: string
}

export interface Usage {
    inputTokens?: number | null
    outputTokens?: number | null
    costUsd?: unknown
}

export interface Task {
    taskId: string
    name?: string | null
    environment?: string | null
    status: Status
    agent?: string | null
    model?: string | null
    reasoningEffort?: string | null
    groupId?: string | null
    contentWithheld?: boolean
    createdBy?: Person | null
    createdAt?: string
    startedAt?: string | null
    finishedAt?: string | null
    exitCode?: number | null
    followUpCount?: number
    shared?: boolean
    usage?: Usage | null
}

export interface Failure {
    message?: string | null
    category?: string
    stage?: string
}

export interface TaskDetails extends Task {
    failure?: Failure | null
    endReason?: string | null
    endedBy?: string
}

// What was made: one task, or a group of several.
export interface NewTask {
    taskId?: string
    groupId?: string | null
}

export interface TaskPage {
    tasks: Task[]
    nextCursor?: string | null
}

export interface OutputFile {
    path: string
    size?: number
    modifiedAt?: string | null
}

export interface OutputFiles {
    files: OutputFile[]
    filesOmitted?: number
    nextCursor: string | null
}

export interface FilePage {
    path: string
    size: number
    offset: number
    bytesReturned: number
    encoding: 'utf8' | 'base64'
    content: string
    truncated: boolean
    nextOffset?: number | null
}

export interface Repository {
    name: string
    branch?: string | null
}

export interface Environment {
    name: string
    description?: string | null
    status?: string
    statusReason?: string
    repositories?: Repository[]
    defaultAgent?: string | null
    agents?: string[]
    canCreateTasks?: boolean
}

export interface Model {
    id: string
    reasoningEfforts: string[]
    speeds: string[]
}

// What an agent offers; agents of an environment's own are not among them.
export interface AgentModels {
    agent: string
    defaultModel: string | null
    models: Model[]
}

export interface Models {
    agents: AgentModels[]
}

export interface Environments {
    environments: Environment[]
    nextCursor: string | null
}

export interface TemplateParameter {
    name: string
    label?: string
    description?: string
    type?: string
    required?: boolean
    default?: string
    options?: string[]
    optionsEnforced?: boolean
    multiSelect?: boolean
}

export interface Template {
    name: string
    title?: string
    description?: string | null
    parameters?: TemplateParameter[]
    brokenReason?: string
}

export interface Templates {
    templates: Template[]
}

export interface Permissions {
    server: string[]
    everywhere: string[]
    environments: { name: string; permissions: string[] }[]
}

export interface Me {
    id: string
    name: string
    isServerAdministrator: boolean
    hasPassword: boolean
    totpEnrolled: boolean
    recoveryCodesLeft: number
    permissions: Permissions
    csrfToken?: string
}

export interface ApiKey {
    id: string
    user: string
    name: string
    hint: string
    createdAt?: string | null
    expiresAt?: string | null
    lastUsedAt?: string | null
    revokedAt?: string | null
}

export interface ApiKeys {
    keys: ApiKey[]
    nextCursor: string | null
}

export interface NewApiKey {
    id: string
    name: string
    key: string
}

export interface Enrolment {
    secret: string
    uri: string
}

export interface RecoveryCodes {
    recoveryCodes: string[]
}

// An OAuth client that one has let in.
export interface Grant {
    clientId: string
    clientName: string
    redirectHost: string
    scope: string
    createdAt: string
    lastUsedAt: string
    expiresAt: string
}

export interface Grants {
    grants: Grant[]
    nextCursor: string | null
}

// One event of GET /tasks/:id/stream.
export interface StreamEvent {
    t: string
    turn: number
    seq: number
    role: string
    type: string
    text?: string
    tool?: string
    toolUseId?: string
    command?: string
    paths?: string[]
    isError?: boolean
    category?: string
}

// The data of `task` and `gone` of GET /events.
export interface TaskChange {
    seq: number
    kind: string
    at: string
    task?: Task
    taskId?: string
}
