// The values that a template asks for.
import type { TemplateParameter } from '../api/types'
import { controlOf, type ParameterControl } from '../lib/task-form'
import { type ControlProps, Fault, Field, SelectField } from './field'

interface ParametersProps {
    parameters: TemplateParameter[]
    values: Record<string, string>
    onValues: (values: Record<string, string>) => void
    error: string | undefined
}

interface ParameterProps {
    parameter: TemplateParameter
    value: string
    onValue: (value: string) => void
}

interface InputProps {
    control: ParameterControl
    given: ControlProps
    value: string
    onValue: (value: string) => void
}

function Control({ control, given, value, onValue }: InputProps) {
    const onInput = (event: { currentTarget: { value: string } }) => onValue(event.currentTarget.value)
    if (control === 'textarea') return <textarea {...given} rows={4} value={value} onInput={onInput} />
    if (control === 'number') return <input {...given} type="number" step="any" value={value} onInput={onInput} />
    if (control === 'date') return <input {...given} type="date" value={value} onInput={onInput} />
    return <input {...given} type="text" value={value} onInput={onInput} />
}

function Parameter({ parameter, value, onValue }: ParameterProps) {
    const label = parameter.label ?? parameter.name
    const control = controlOf(parameter)
    if (control === 'checkbox')
        return (
            <label class="check">
                <input
                    type="checkbox"
                    checked={value === 'true'}
                    onChange={(event) => onValue(event.currentTarget.checked ? 'true' : 'false')}
                />
                {label}
            </label>
        )
    const facts = { label, hint: parameter.description, isOptional: !parameter.required }
    if (control === 'select')
        return (
            <SelectField
                {...facts}
                value={value}
                onValue={onValue}
                options={[...(parameter.required && parameter.default ? [] : ['']), ...(parameter.options ?? [])]}
            />
        )
    return <Field {...facts}>{(given) => <Control control={control} given={given} value={value} onValue={onValue} />}</Field>
}

export function Parameters({ parameters, values, onValues, error }: ParametersProps) {
    return (
        <fieldset>
            <legend>The template’s parameters</legend>
            <Fault text={error} />
            {parameters.map((parameter) => (
                <Parameter
                    key={parameter.name}
                    parameter={parameter}
                    value={values[parameter.name] ?? ''}
                    onValue={(value) => onValues({ ...values, [parameter.name]: value })}
                />
            ))}
        </fieldset>
    )
}
