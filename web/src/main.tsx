import { render } from 'preact'
import { startSession } from './api/session'
import { App } from './app'
import { startRouter } from './lib/router'
import './styles/main.css'

startRouter()
startSession()
const page = document.getElementById('page')
if (page) render(<App />, page)
