import { describe, expect, it } from 'vitest'
import type { Task, TaskChange } from '../src/api/types'
import { type Filters, fits, type Listed, queryOf, readFilters, withChange, writeFilters } from '../src/lib/task-list'

const none: Filters = { environment: '', status: '', whose: '', groupId: '' }
const task = (id: string, more: Partial<Task> = {}): Task => ({
    taskId: id,
    name: null,
    environment: 'test',
    status: 'running',
    createdBy: { id: 'me' },
    createdAt: `2026-01-01T00:00:0${id}Z`,
    ...more,
})
const change = (about: Task): TaskChange => ({ seq: 1, kind: 'started', at: '', task: about })
const list = (...ids: string[]): Listed => ({ tasks: ids.map((id) => task(id)), nextCursor: null })
const ids = (listed: Listed | null) => listed?.tasks.map((one) => one.taskId)

describe('the list of tasks', () => {
    it('takes a new task where its time puts it, and a changed one where it was', () => {
        expect(ids(withChange(list('5', '3'), change(task('4')), none, 'me'))).toEqual(['5', '4', '3'])
        expect(ids(withChange(list('5', '3'), change(task('6')), none, 'me'))).toEqual(['6', '5', '3'])
        const changed = withChange(list('5', '3'), change(task('3', { status: 'failed' })), none, 'me')
        expect(changed?.tasks[1]?.status).toBe('failed')
    })

    it('leaves to its page what is older than all that is shown', () => {
        const part: Listed = { ...list('5', '3'), nextCursor: 'c' }
        expect(withChange(part, change(task('2')), none, 'me')).toBe(part)
        expect(ids(withChange(list('5', '3'), change(task('2')), none, 'me'))).toEqual(['5', '3', '2'])
    })

    it('drops what is gone or fits no longer', () => {
        expect(ids(withChange(list('5', '3'), { seq: 2, kind: 'deleted', at: '', taskId: '5' }, none, 'me'))).toEqual(['3'])
        const running: Filters = { ...none, status: 'running' }
        expect(ids(withChange(list('5', '3'), change(task('3', { status: 'completed' })), running, 'me'))).toEqual(['5'])
    })

    it('asks the server where only that can tell', () => {
        const teams: Filters = { ...none, whose: 'teams' }
        expect(fits(task('1', { createdBy: { id: 'other' } }), teams, 'me')).toBeNull()
        expect(withChange(list('5'), change(task('6', { createdBy: { id: 'other' } })), teams, 'me')).toBeNull()
    })

    it('has its filters in the address', () => {
        const filters: Filters = { environment: 'a b', status: 'failed', whose: 'me', groupId: '' }
        expect(readFilters(new URL(writeFilters(filters), 'http://x').searchParams)).toEqual(filters)
        expect(readFilters(new URLSearchParams('status=nonsense&whose=all'))).toEqual(none)
        expect(queryOf(filters)).toMatchObject({ environment: 'a b', status: 'failed', createdByMe: true })
    })
})
