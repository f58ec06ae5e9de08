/** Adds an entry, after a preview of whom it lists and what it overrides. */
import {ask, query, parse, entryPath} from './api.js';
import {html, nothing, redraw, set, run, fields, shown, codes, day, verdict, told, field, choice, meaning} from './ui.js';
import {REASONS} from './explain.js';

/** Of the list and the user that the screen shows; another screen begins anew. */
let state = {values: {}};

const AUTH = [['', 'as the mailet is set'], ['any', 'SPF or DKIM'], ['spf', 'SPF'], ['dkim', 'DKIM'], ['none', 'nothing: anybody can forge it']];

/** What an entry wants, beside its end. */
export const conditions = entry => (entry.from ? 'from ' + day(entry.from) + ' ' : '')
  + (!entry.auth ? '' : entry.auth === 'none' ? 'confirmed or not' : 'with ' + entry.auth.toUpperCase().replace('ANY', 'SPF or DKIM'));

/** Reads what there is now, and says what the entry will do. */
const preview = (list, values) => run(state, async now => {
  Object.assign(now, {values, said: null, preview: null});
  const {sender, to} = values;
  const none = e => { if (e.status === 404) return {lines: []}; throw e; };
  const before = (await ask(entryPath(list, sender, to)).catch(none)).lines;
  const isAddress = !sender.startsWith('@');
  const verdicts = isAddress ? (await ask('/explain' + query({sender, recipient: to.startsWith('@') ? '' : to}))).explanations : [];
  now.preview = {replaced: before.filter(line => parse(line).origin === 'admin'),
    beside: before.filter(line => parse(line).origin !== 'admin'), verdicts};
});

const add = (list, done) => run(state, async now => {
  const {sender, to, denied, until, auth, note} = now.values;
  const body = {denied: denied === 'yes', ...Object.fromEntries(Object.entries({until, auth: denied ? '' : auth, note}).filter(([, value]) => value))};
  const answer = await ask(entryPath(list, sender, to), {method: 'PUT', body: JSON.stringify(body)});
  Object.assign(now, {said: answer ? 'Added: ' + answer.lines.join(', ') : 'It was there already.', values: {}, preview: null});
  await done();
});

const shownPreview = (list, done) => {
  const {replaced, beside, verdicts} = state.preview;
  const entry = {...state.values, key: state.values.sender, denied: state.values.denied === 'yes'};
  return html`<div class="preview" role="status">
    <p><b>${shown(meaning(entry))}</b></p>
    ${entry.key.startsWith('@') && !entry.denied ? html`<p class="quiet">A more specific entry, such as an address that is never listed, still decides before it.</p>` : nothing}
    ${replaced.length ? html`<p>Takes the place of ${codes(replaced)}</p>` : nothing}
    ${beside.length ? html`<p>Beside it stays ${codes(beside)}</p>` : nothing}
    ${verdicts.map(({as, verdicts: [now]}) => html`<p class="quiet">Now, ${shown(as)} says: ${verdict(now)}
      ${now.reason === 'unauthenticated' ? 'It is listed where something confirms it.' : REASONS[now.reason]}
      ${codes(now.entry ? [now.entry] : [])}</p>`)}
    <div class="actions"><button type="button" class="main" ?disabled=${state.busy} @click=${() => add(list, done)}>Add it</button>
      <button type="button" class="link" @click=${() => set(state, {preview: null})}>Change it</button></div></div>`;
};

/** Fills the form in with what an entry says, to change it. */
export function change(list, {key, denied, ...rest}) {
  state = {list, to: undefined, values: {...rest, sender: key, denied: denied ? 'yes' : ''}};
  redraw();
  document.querySelector('details.add').open = true;
  document.querySelector('details.add [name=until]').focus();
}

/** The card; `to` is given where the screen is of one user. */
export function addForm(list, done, to) {
  if (state.list !== list || state.to !== to) state = {list, to, values: {}};
  const values = state.values;
  return html`<details class="card add"><summary><h2>Add a sender</h2></summary>
    <form class="grid" @submit=${event => preview(list, {to, ...fields(event)})} @input=${() => { if (state.preview) set(state, {preview: null}); }}>
      ${field('Sender', 'sender', {value: values.sender, example: 'alice@example.com', required: true})}
      ${to ? nothing : field('Only for the recipient', 'to', {value: values.to, example: 'everybody'})}
      ${choice('What for', 'denied', [['', 'List it'], ['yes', 'Never list it']], values.denied)}
      ${choice('If confirmed by', 'auth', AUTH, values.auth)}
      ${field('Until the end of', 'until', {value: values.until, type: 'date'})}
      ${field('Note', 'note', {value: values.note, example: 'who asked, and why'})}
      <p class="hint wide"><code>alice@example.com</code> is one address, <code>@example.com</code> all at this domain,
        <code>@.example.com</code> all at its subdomains.</p>
      ${state.preview ? nothing : html`<div class="actions wide"><button class="main" ?disabled=${state.busy}>Preview</button></div>`}
    </form>
    ${told(state)}
    ${state.preview ? shownPreview(list, done) : nothing}</details>`;
}
