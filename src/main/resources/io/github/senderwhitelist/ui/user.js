/** A user's screen: all that is kept of one recipient, to add to, remove from, export and erase. */
import {ask, query, parse, entryPath} from './api.js';
import {html, nothing, set, run, shown, named, many, ago, verdict, origin, told, choice, meaning, download} from './ui.js';
import {addForm} from './add.js';

let state = {};

const path = () => '/for/' + encodeURIComponent(state.user);

export async function load(user) {
  state = {user, kept: null, list: '', erase: false, said: null};
  await read();
}

/** Reads all that is kept. */
async function refresh(now) {
  const {lists, mails = []} = await ask(path());
  Object.assign(now, {kept: lists, mails});
  now.list ||= lists[0]?.list ?? '';
}

const read = () => run(state, refresh);

const remove = (list, entry) => run(state, async now => {
  await ask(entryPath(list, entry.key, entry.to) + query({origin: entry.origin}), {method: 'DELETE'});
  now.said = 'Removed from ' + list + ': ' + entry.line;
  await refresh(now);
});

const erase = () => run(state, async now => {
  await ask(path(), {method: 'DELETE'});
  Object.assign(now, {erase: false, said: 'All that was kept of ' + now.user + ' is erased in the lists and their history.'});
  await refresh(now);
});

const exportAll = () => download(state.user, state.kept.flatMap(({list, lines}) => ['# ' + list, ...lines]));

const row = (list, entry) => html`<li class="kept"><div><b>${named(entry.key)}</b> ${origin(entry.origin)}
    ${entry.denied ? html`<span class="badge bad">Never listed</span>` : nothing}
    <p class="quiet">${shown(meaning(entry))} ${shown(entry.note)}</p></div>
  <button type="button" aria-label=${'Remove ' + shown(entry.key)} @click=${() => remove(list, entry)}>Remove</button></li>`;

export function view() {
  const total = state.kept?.reduce((sum, {lines}) => sum + lines.length, 0);
  const lists = state.kept?.map(({list}) => [list, list]) ?? [];
  return html`<main><p class="path"><a href="#/">Overview</a></p>
    <h1>${named(state.user)}</h1>
    ${told(state)}
    ${!state.kept ? nothing : html`
      <section class="card" aria-labelledby="kept-title"><header><h2 id="kept-title">${many(total, 'entry', 'entries')} kept of this user</h2>
        <button type="button" ?disabled=${!total} @click=${exportAll}>Export</button></header>
        ${total === 0 ? html`<p class="empty">Nothing is kept in any list.</p>` : state.kept.filter(({lines}) => lines.length).map(({list, lines}) => html`
          <h3><a href=${'#/list/' + encodeURIComponent(list)}>${named(list)}</a></h3>
          <ul class="rows">${lines.map(line => row(list, parse(line)))}</ul>`)}
        ${state.mails.length ? html`<h3>Last mails judged, in memory</h3><ul class="lines">${state.mails.map(mail => html`<li>
          ${named(mail.sender)} to ${named(mail.recipient)}, ${ago(mail.at)} ${verdict(mail)}</li>`)}</ul>` : nothing}</section>
      ${lists.length > 1 ? html`<div class="pickList">${choice('Add to the list', 'list', lists, state.list, event => set(state, {list: event.target.value}))}</div>` : nothing}
      ${state.list ? addForm(state.list, read, state.user) : nothing}
      <section class="card" aria-labelledby="erase-title"><h2 id="erase-title">Erase</h2>
        <p>Removes all entries for this user in every list, what their history says, and the mails judged last. It cannot be undone: export first.</p>
        <div class="actions">${state.erase ? html`<button type="button" class="danger" @click=${erase}>Erase all of ${shown(state.user)}</button>
            <button type="button" class="link" @click=${() => set(state, {erase: false})}>Keep it</button>`
          : html`<button type="button" class="danger" @click=${() => set(state, {erase: true})}>Erase…</button>`}</div></section>`}</main>`;
}
