import { webcrypto } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { address, ApiError, path } from '../src/api/client'
import { attachmentFault, withUploads, type Attachment } from '../src/lib/attachments'
import { Faults } from '../src/lib/faults'
import { uuid } from '../src/lib/id'
import { ownAddress } from '../src/lib/own-address'
import { bodyOf, controlOf, effortsOf, emptyForm } from '../src/lib/task-form'
import { ago, duration, size } from '../src/lib/time'
import { earlier, later, windowOf } from '../src/lib/window'

// Node.js 18 does not have it as browsers do.
globalThis.crypto ??= webcrypto

describe('an address', () => {
    it('encodes what is put into it', () => {
        expect(path`/tasks/${'a/b?c'}/stop`).toBe('/tasks/a%2Fb%3Fc/stop')
        expect(address('/tasks', { a: 'x y', b: undefined, c: true, d: '' })).toBe('/tasks?a=x+y&c=true')
    })

    it('to come back to is one of our own', () => {
        expect(ownAddress('/task.html?id=1#x')).toBe('/task.html?id=1#x')
        for (const bad of [null, '', 'https://evil.example/', '//evil.example/x', '/\\evil.example', '/a\\b', 'javascript:alert(1)'])
            expect(ownAddress(bad)).toBe('/')
    })
})

describe('a refusal', () => {
    it('stands beside its field', () => {
        const faults = new Faults(new ApiError(400, 'invalid_input', 'name must have 1 to 100 characters'), ['name'])
        expect(faults.of('name')).toBe('name must have 1 to 100 characters')
        expect(faults.other).toBeUndefined()
        const model = new Faults(new ApiError(400, 'invalid_model', 'No such model.'), ['name', 'model'])
        expect(model.of('model')).toBe('No such model.')
    })

    it('stands below the form when it speaks of none', () => {
        expect(new Faults(new ApiError(409, 'task_busy', 'name is no field here'), ['name']).other).toBe('name is no field here')
        expect(new Faults(new Error('x'), ['name']).other).toBe('x')
        expect(new Faults(null, ['name']).other).toBeUndefined()
    })
})

describe('the form of a task', () => {
    it('sends only what was given', () => {
        expect(bodyOf({ ...emptyForm, environment: 'e', instructions: 'i', model: 'm' }, [], 'r')).toEqual({
            environment: 'e',
            instructions: 'i',
            requestId: 'r',
        })
        const all = { ...emptyForm, template: 't', parameters: { a: '1', b: '' }, agent: 'x', model: ' m ', branches: { r: 'dev' } }
        expect(bodyOf(all, [], 'r')).toMatchObject({ parameters: { a: '1' }, model: 'm', branches: { r: 'dev' } })
    })

    it('offers the reasoning efforts of the model that will be taken', () => {
        const models = {
            agent: 'a',
            defaultModel: 'm',
            models: [
                { id: 'm', reasoningEfforts: ['low'], speeds: [] },
                { id: 'n', reasoningEfforts: [], speeds: [] },
            ],
        }
        expect(effortsOf(models, '')).toEqual(['low'])
        expect(effortsOf(models, 'n')).toEqual([])
        expect(effortsOf(models, 'other')).toBeUndefined()
        expect(effortsOf(undefined, 'm')).toBeUndefined()
    })

    it('chooses the control of a parameter', () => {
        expect(controlOf({ name: 'a', type: 'select', options: ['x'], optionsEnforced: true })).toBe('select')
        expect(controlOf({ name: 'a', type: 'select', options: ['x'], multiSelect: true })).toBe('text')
        expect(controlOf({ name: 'a', type: 'boolean' })).toBe('checkbox')
        expect(controlOf({ name: 'a' })).toBe('text')
    })
})

describe('attachments', () => {
    it('are refused when they are too many or of one name', () => {
        expect(attachmentFault([{ name: 'a' }])).toBeNull()
        expect(attachmentFault(Array.from({ length: 26 }, (_, i) => ({ name: `${i}` })))).toMatch('25')
        expect(attachmentFault([{ name: 'a' }, { name: 'a' }])).toMatch('two files')
    })

    it('are uploaded once, until a submission has taken or refused them', async () => {
        const asked: string[] = []
        vi.stubGlobal('fetch', async (url: string) => {
            asked.push(url)
            return new Response(JSON.stringify({ uploadId: `u${asked.length}` }), { status: 201 })
        })
        const file = new File(['x'], 'a b.txt', { lastModified: 1 })
        const submit = (answer: Error | string) => async (attachments: Attachment[]) => {
            if (typeof answer !== 'string') throw answer
            return [answer, ...attachments.map((one) => one.uploadId)]
        }
        await expect(withUploads([file], submit(new ApiError(0, 'unreachable', 'lost')))).rejects.toThrow('lost')
        expect(await withUploads([file], submit('taken'))).toEqual(['taken', 'u1'])
        await expect(withUploads([file], submit(new ApiError(400, 'invalid_input', 'no')))).rejects.toThrow('no')
        expect(await withUploads([file], submit('taken'))).toEqual(['taken', 'u3'])
        expect(asked).toEqual(Array.from({ length: 3 }, () => '/uploads?filename=a+b.txt'))
        vi.unstubAllGlobals()
    })
})

describe('what people read', () => {
    const now = Date.parse('2026-01-02T00:00:00Z')

    it('tells times', () => {
        expect(ago('2026-01-01T23:59:58Z', now)).toBe('just now')
        expect(ago('2026-01-01T22:00:00Z', now)).toBe('2 hours ago')
        expect(ago('2026-02-02T00:00:00Z', now)).toBe('next month')
        expect(duration('2026-01-01T23:58:30Z', now)).toBe('1 min 30 s')
    })

    it('tells sizes', () => {
        expect([0, 999, 1000, 15_300, 999_960, 5e9].map(size)).toEqual(['0 B', '999 B', '1.0 kB', '15 kB', '1.0 MB', '5.0 GB'])
    })

    it('shows a part of a long list', () => {
        expect(windowOf(10, null)).toEqual({ from: 0, to: 10 })
        expect(windowOf(10_000, null)).toEqual({ from: 9800, to: 10_000 })
        expect(windowOf(10_000, 5000)).toEqual({ from: 5000, to: 5800 })
        expect(earlier(100)).toBe(0)
        expect(later(9700, 10_000)).toBe(9800)
    })
})

it('a UUID is one of version 4', () => {
    expect(uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(uuid()).not.toBe(uuid())
})
