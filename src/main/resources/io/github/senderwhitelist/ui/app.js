/** The page: which screen is shown, and who asks. */
import {render} from './lit-html.js';
import {setSecret} from './api.js';
import {html, nothing, fields, search, shown} from './ui.js';
import * as home from './home.js';
import * as list from './list.js';
import * as user from './user.js';

const REFRESH = 15000;

let screen = home;
let asksLogin = false;
let wasWrong = false;
let visits = 0;

/** Shows what the address of the page names, read anew; not if the person has gone on meanwhile. */
async function go() {
  const visit = ++visits;
  const [kind, name] = location.hash.replace(/^#\/?/, '').split('/', 2).map(part => {
    try { return decodeURIComponent(part); } catch { return part; }
  });
  if (!home.state.all || !name) await home.load();
  if (asksLogin || visit !== visits) return;
  screen = kind === 'list' && name ? list : kind === 'user' && name ? user : home;
  document.title = (screen === home ? '' : shown(name) + ' · ') + 'Sender whitelist';
  if (screen === list) await list.load(name, home.state.all?.lists.find(each => each.name === name));
  if (screen === user) await user.load(name);
}

function login(event) {
  setSecret(fields(event).password);
  asksLogin = false;
  wasWrong = true;
  go();
}

const loginForm = () => html`<main class="login"><form class="card" @submit=${login}>
  <h1>Password or token</h1>
  <p class="quiet">That of James' WebAdmin: <code>password=</code> in <code>conf/webadmin.properties</code>, or a token if it
    has <code>jwt.enabled=true</code>. It is kept until this page is closed, and nowhere stored.</p>
  ${wasWrong ? html`<p class="message bad" role="alert">James does not take this one. Try again.</p>` : nothing}
  <label class="field"><span>Password or token</span><input name="password" type="password" required autocomplete="current-password"></label>
  <div class="actions"><button class="main">Open</button></div></form></main>`;

const header = () => html`<header class="top"><a class="brand" href="#/"><svg viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8"></rect><path d="M9 16.5l5 5 9.5-11"></path></svg>Sender whitelist</a>
  ${asksLogin ? nothing : search(['A user of this server', 'A user: bob@your.example', 'Open'], '',
    name => { if (name) location.hash = '#/user/' + encodeURIComponent(name); })}</header>`;

function draw() {
  render(html`${header()}${asksLogin ? loginForm() : screen.view()}`, document.body);
  const dialog = document.querySelector('dialog');
  if (dialog && !dialog.open) dialog.showModal();
}

document.addEventListener('redraw', draw);
document.addEventListener('login', () => {
  asksLogin = true;
  draw();
  document.querySelector('input[type=password]')?.focus();
});
addEventListener('hashchange', go);
setInterval(() => {
  if (!document.hidden && screen === home && !asksLogin) home.load();
}, REFRESH);
go();
