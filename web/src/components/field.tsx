// A labelled control with its hint and what is wrong with it.
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface ControlProps {
    id: string
    'aria-describedby': string | undefined
    'aria-invalid': boolean | undefined
}

interface FieldProps {
    label: string
    hint?: ComponentChildren
    error?: string | undefined
    isOptional?: boolean
    children: (control: ControlProps) => ComponentChildren
}

export function Field({ label, hint, error, isOptional, children }: FieldProps) {
    const id = useId()
    const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined
    return (
        <div class="field">
            <label for={id}>
                {label} {isOptional && <span class="quiet">(optional)</span>}
            </label>
            {children({ id, 'aria-describedby': described, 'aria-invalid': error ? true : undefined })}
            {error && (
                <p id={`${id}-error`} class="fault" role="alert">
                    {error}
                </p>
            )}
            {hint && (
                <p id={`${id}-hint`} class="hint">
                    {hint}
                </p>
            )}
        </div>
    )
}

interface TextFieldProps extends Omit<FieldProps, 'children'> {
    value: string
    onValue: (value: string) => void
    type?: 'text' | 'password'
    name?: string
    autocomplete?: string
    required?: boolean
    autofocus?: boolean
    maxLength?: number
    inputMode?: 'numeric' | 'text'
    placeholder?: string
}

export function TextField({ label, hint, error, isOptional, value, onValue, autofocus, type, ...rest }: TextFieldProps) {
    return (
        <Field label={label} hint={hint} error={error} isOptional={isOptional ?? false}>
            {(control) => {
                const given = {
                    ...control,
                    ...rest,
                    value,
                    ref: (element: HTMLInputElement | null) => {
                        if (!autofocus || !element || element.dataset['focused']) return
                        element.dataset['focused'] = 'true'
                        element.focus()
                    },
                    onInput: (event: { currentTarget: HTMLInputElement }) => onValue(event.currentTarget.value),
                }
                return type === 'password' ? <input {...given} type="password" /> : <input {...given} type="text" />
            }}
        </Field>
    )
}

interface SelectFieldProps extends Omit<FieldProps, 'children'> {
    value: string
    onValue: (value: string) => void
    name?: string
    required?: boolean
    options: readonly (string | { value: string; label: string; disabled?: boolean })[]
}

export function SelectField({ label, hint, error, isOptional, value, onValue, options, ...rest }: SelectFieldProps) {
    return (
        <Field label={label} hint={hint} error={error} isOptional={isOptional ?? false}>
            {(control) => (
                <select {...control} {...rest} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
                    {options.map((option) => {
                        const given = typeof option === 'string' ? { value: option, label: option } : option
                        return (
                            <option key={given.value} {...given} selected={given.value === value}>
                                {given.label}
                            </option>
                        )
                    })}
                </select>
            )}
        </Field>
    )
}

export function Fault({ text }: { text: string | undefined }) {
    return text ? (
        <p class="fault" role="alert">
            {text}
        </p>
    ) : null
}
