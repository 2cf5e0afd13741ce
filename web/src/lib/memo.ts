// A component that is rendered again only when one of its properties is another.
import { Component, type ComponentType, createElement } from 'preact'

export function memo<P extends object>(Inner: ComponentType<P>): ComponentType<P> {
    return class Memo extends Component<P> {
        override shouldComponentUpdate(next: P): boolean {
            const before = this.props as Record<string, unknown>
            const after = next as Record<string, unknown>
            return Object.keys(after).some((name) => after[name] !== before[name])
        }

        override render() {
            return createElement(Inner, this.props as P)
        }
    }
}
