// What stands where something is still to come, or could not be had.
import { ApiError } from '../api/client'

export function Wait({ what }: { what: string }) {
    return (
        <p class="wait" role="status">
            Loading {what} …
        </p>
    )
}

export function Failed({ error, onRetry }: { error: Error; onRetry?: () => void }) {
    const isOver = error instanceof ApiError && [403, 404].includes(error.status)
    return (
        <div class="fault-box" role="alert">
            <p>{error.message}</p>
            {onRetry && !isOver && (
                <button type="button" onClick={onRetry}>
                    Try again
                </button>
            )}
        </div>
    )
}
