// A dialog in front of the page; the browser keeps the focus in it and closes it with Escape.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { Action } from '../lib/action'
import { Fault } from './field'

interface DialogProps {
    title: string
    onClose: () => void
    children: ComponentChildren
}

export function Dialog({ title, onClose, children }: DialogProps) {
    const dialog = useRef<HTMLDialogElement>(null)
    const id = useId()
    useEffect(() => {
        const before = document.activeElement
        dialog.current?.showModal()
        return () => {
            if (before instanceof HTMLElement) before.focus()
        }
    }, [])
    return (
        <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
            <h2 id={id}>{title}</h2>
            {children}
        </dialog>
    )
}

interface ConfirmProps extends DialogProps {
    verb: string
    action: Action<[]>
    isGrave?: boolean
    fault?: string | undefined
}

// Asks before something is done; closes when it is.
export function Confirm({ title, verb, action, isGrave, fault, onClose, children }: ConfirmProps) {
    return (
        <Dialog title={title} onClose={onClose}>
            <form
                onSubmit={(event) => {
                    event.preventDefault()
                    void action.run().then((isDone) => isDone && onClose())
                }}
            >
                {children}
                <Fault text={fault ?? action.error?.message} />
                <div class="buttons">
                    <button type="button" onClick={onClose}>
                        Cancel
                    </button>
                    <button class={isGrave ? 'grave' : 'primary'} disabled={action.isBusy}>
                        {verb}
                    </button>
                </div>
            </form>
        </Dialog>
    )
}
