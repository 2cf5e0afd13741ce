// Every view of the page and its address. A new view is a component in pages/ and a row here.
import type { ComponentType } from 'preact'
import { ClientsPage } from './pages/clients'
import { EnvironmentsPage } from './pages/environments'
import { KeysPage } from './pages/keys'
import { NewTaskPage } from './pages/new-task'
import { ProfilePage } from './pages/profile'
import { TaskPage } from './pages/task'
import { TasksPage } from './pages/tasks'

export interface Route {
    path: string
    view: ComponentType
    // Its word in the menu; without one it is not there.
    inMenu?: string
}

export const routes: readonly Route[] = [
    { path: '/', view: TasksPage, inMenu: 'Tasks' },
    { path: '/task.html', view: TaskPage },
    { path: '/new-task.html', view: NewTaskPage, inMenu: 'New task' },
    { path: '/environments.html', view: EnvironmentsPage, inMenu: 'Environments' },
    { path: '/keys.html', view: KeysPage, inMenu: 'API keys' },
    { path: '/clients.html', view: ClientsPage, inMenu: 'Clients' },
    { path: '/profile.html', view: ProfilePage },
]
