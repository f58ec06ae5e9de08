/** "Who is this sender?": the form, and its answers as cards. */
import {ask, query, parse} from './api.js';
import {html, nothing, set, latest, fields, shown, verdict, error, field, choice, meaning} from './ui.js';

/** The fields, filled in by a person or by a mail that was clicked. */
export const question = {pasted: false, values: {}, answers: null, readAs: null, error: null, busy: false};

/** Why, in an administrator's words, and what to do. */
export const REASONS = {
  listed: 'An entry lists this sender.',
  denied: 'An entry says that this sender is never listed.',
  unauthenticated: 'An entry would list it, but nothing confirmed that the mail is from this sender. See SPF and DKIM of that domain, or add the entry with auth=none.',
  expired: 'The entry has ended. Add it again with a later day if it should go on.',
  'not-yet': 'The entry begins on a later day.',
  stranger: 'No entry is about this sender and this recipient.',
  'ambiguous-from': 'The header From: is missing, there twice, or does not name one mailbox.',
  malformed: 'This is not a complete address, so no list can hold it.',
  'null-sender': 'The mail has no sender, as bounces do. It is never listed.',
  unavailable: 'The list could not be asked. See the state of the lists.',
};

const CONFIRMED = [['spf', 'SPF'], ['dkim', 'DKIM'], ['login', 'a login here'], ['network', 'an authorised network']];

/** Asks, and shows the answers. */
export const explain = values => latest(question, async ({pasted}) => {
  Object.assign(question, {values, answers: null});
  const {headers, sender, recipient, from, as} = values;
  const confirmed = values.confirmed ?? CONFIRMED.map(([name]) => name).filter(name => values[name]).join(',');
  const answer = pasted
    ? await ask('/explain' + query({as, recipient, sender: sender || null}), {method: 'POST', body: headers, type: 'text/plain'})
    : await ask('/explain' + query({sender, recipient, from, confirmed, as}));
  return {answers: answer.explanations, readAs: pasted ? answer : null};
});

/** Explains a mail that was judged. */
export function explainMail(mail) {
  question.pasted = false;
  const ticked = mail.confirmed.split(',').map(each => [each.split(':')[0], 'on']);
  explain({sender: mail.sender === '<>' ? '' : mail.sender, from: mail.from, recipient: mail.recipient, as: mail.as,
    confirmed: mail.confirmed, ...Object.fromEntries(ticked)});
  document.getElementById('who')?.scrollIntoView({block: 'start'});
  document.getElementById('who-title')?.focus({preventScroll: true});
}

const card = explanation => html`<article class="answer">
  <header><h3>${shown(explanation.as)}</h3>
    <p class="quiet">${explanation.lists.length ? 'asks ' + shown(explanation.lists.join(', ')) : 'asks no list'}</p></header>
  ${explanation.verdicts.map(each => html`<section class="said">
    <p>${verdict(each)}
      ${each.recipient ? html`<span>for <b>${shown(each.recipient)}</b></span>` : html`<span>for nobody in particular</span>`}</p>
    <p>${REASONS[each.reason] ?? shown(each.reason)}</p>
    ${each.entry ? html`<p><code>${shown(each.entry)}</code><br><span class="quiet">${shown(meaning(parse(each.entry)))}</span></p>` : nothing}
    ${each.verdict === 'unavailable' && each.countsAsListed ? html`<p>The mail goes on as that of a listed sender (<code>onLookupFailure=listed</code>).</p>` : nothing}
  </section>`)}
  <details><summary>Each step</summary><ol>${explanation.steps.map(step => html`<li>${shown(step)}</li>`)}</ol></details>
</article>`;

const typed = values => html`
  ${field('Sender (as in the envelope)', 'sender', {value: values.sender, example: 'alice@example.com', type: 'text', wide: true})}
  ${field('Recipient', 'recipient', {value: values.recipient, example: 'you@your.example'})}
  ${field('Header From:, if it differs', 'from', {value: values.from})}
  <fieldset class="wide"><legend>Confirmed by</legend>${CONFIRMED.map(([name, label]) => html`
    <label class="check"><input type="checkbox" name=${name} .checked=${!!values[name]}>${label}</label>`)}</fieldset>`;

const pasted = values => html`
  <label class="field wide"><span>The headers of a message (“show source” in a mail program)</span>
    <textarea name="headers" rows="7" maxlength="65536" spellcheck="false" required .value=${values.headers ?? ''}
      placeholder="Return-Path: <alice@example.com>&#10;From: Alice <alice@example.com>&#10;…"></textarea></label>
  ${field('Recipient', 'recipient', {value: values.recipient, example: 'you@your.example'})}
  ${field('Sender, if there is no Return-Path:', 'sender', {value: values.sender})}`;

const turn = pasted => set(question, {pasted, answers: null, error: null});

/** The whole card; `mailets` are those that can be asked. */
export const whoIsIt = mailets => html`<section class="card" id="who" aria-labelledby="who-title">
  <h2 id="who-title" tabindex="-1">Who is this sender?</h2>
  <div class="tabs">
    <button type="button" aria-pressed=${!question.pasted} @click=${() => turn(false)}>An address</button>
    <button type="button" aria-pressed=${question.pasted} @click=${() => turn(true)}>Mail headers</button>
  </div>
  <form class="grid" @submit=${event => explain(fields(event))}>
    ${question.pasted ? pasted(question.values) : typed(question.values)}
    ${mailets.length > 1 ? choice('Asked of', 'as', [['', 'every mailet'], ...mailets.map(name => [name, name])], question.values.as) : nothing}
    <div class="actions wide"><button class="main" ?disabled=${question.busy}>Ask</button></div>
  </form>
  <div aria-live="polite">${error(question.error)}
    ${question.readAs ? html`<p class="quiet">Read from the headers: sender ${shown(question.readAs.sender || 'none')},
      From: ${shown(question.readAs.from || 'unclear')}, confirmed by ${shown(question.readAs.confirmed || 'nothing')}.</p>` : nothing}
    ${question.answers?.length === 0 ? html`<p class="message">No mailet asks a list yet: see <i>Install</i> in the README.</p>`
      : question.answers?.map(card) ?? nothing}</div>
</section>`;
