/** The first screen: is all well, who is this sender, the last mails judged, the lists. */
import {svg} from './lit-html.js';
import {ask, query, isOpen} from './api.js';
import {html, nothing, set, latest, search, shown, named, codes, number, many, percent, ago, verdict, error} from './ui.js';
import {whoIsIt, explainMail, REASONS} from './explain.js';

/** What /whitelists and /whitelists/recent said last. */
export const state = {all: null, mails: null, sought: '', error: null, busy: false, more: false};

export const load = () => latest(state, async () => {
  const [all, {mails}] = await Promise.all([ask(''), ask('/recent' + query({sender: state.sought}))]);
  return {all, mails};
});

/** One sentence about all of it, and what to do. */
function health({health, lists}) {
  const problems = health?.problems ?? lists.filter(list => list.problem).map(list => list.name + ': ' + list.problem);
  const listsSay = lists.length === 1 ? 'The list answers' : 'All ' + lists.length + ' lists answer';
  if (lists.length === 0) {
    return html`<div class="health warn"><h1>No list is open.</h1>
      <p>Name one in the mailet <code>SenderWhitelist</code> of <code>mailetcontainer.xml</code>, or in <code>whitelists.xml</code>, and restart James.</p></div>`;
  }
  if (problems.length === 0 && health?.status !== 'degraded') {
    const mails = state.mails?.length ? html`The last mail was judged ${ago(state.mails[0].at)}.`
      : 'No mail was judged since James started. Send one to see it here.';
    return html`<div class="health good"><h1>All is well.</h1><p>${listsSay}. ${mails}</p></div>`;
  }
  return html`<div class="health bad"><h1>${problems.length === 1 ? 'One thing needs' : many(problems.length, 'thing') + ' need'} you.</h1>
    <ul>${problems.map(problem => html`<li>${shown(problem)}</li>`)}</ul>
    <p>Lists go on with what they had; no mail is lost. What to do about each message is in the manual, <i>Troubleshooting</i>.</p></div>`;
}

/** Said where WebAdmin asks nobody for a password. */
const open = () => html`<p class="message warn"><b>WebAdmin has no password:</b> any web site that you visit could change
  James over it. Add to <code>conf/webadmin.properties</code>, and restart: in James 3.8.1 <code>jwt.enabled=true</code>
  with a key, from 3.9 on <code>password=…</code></p>`;

const mails = () => html`<section class="card" aria-labelledby="mails-title">
  <h2 id="mails-title">Last mails judged</h2>
  ${search(['Only senders with', 'Only senders with…', 'Show'], state.sought, sought => { state.sought = sought; load(); })}
  ${!state.mails?.length ? html`<p class="empty">${state.sought ? 'No such mail among the last 500.' : 'None yet on this server.'}</p>`
    : html`<ul class="mails">${state.mails.slice(0, state.more ? 500 : 8).map(mail => html`<li>
        <button type="button" class="mail" @click=${() => explainMail(mail)}>
          <span class="who">${named(mail.sender === '<>' ? 'no sender (a bounce)' : mail.sender)}</span>
          ${verdict(mail)}
          <span class="quiet">to ${named(mail.recipient)}${mail.from && mail.from !== mail.sender ? html`, From: ${named(mail.from)}` : nothing}</span>
          <span class="quiet when">${ago(mail.at)}</span>
          <span class="sr">${REASONS[mail.reason] ?? ''} Explain.</span>
        </button></li>`)}</ul>
      ${state.mails.length > 8 ? html`<button type="button" class="link" @click=${() => set(state, {more: !state.more})}>
        ${state.more ? 'Show fewer' : 'Show all ' + state.mails.length}</button>` : nothing}`}
</section>`;

const KINDS = [['listed', 'Listed'], ['notListed', 'Not listed'], ['unavailable', 'No answer']];

/** The verdicts of the last hour, minute by minute. */
function chart(hour) {
  const total = kind => hour[kind].reduce((sum, n) => sum + n, 0);
  const top = Math.max(1, ...hour.listed.map((n, i) => n + hour.notListed[i] + hour.unavailable[i]));
  const said = KINDS.map(([kind, label]) => label + ' ' + number(total(kind))).join(', ');
  const bars = (n, i) => {
    let below = 48;
    return KINDS.map(([kind]) => {
      const height = hour[kind][i] / top * 44;
      below -= height;
      return height ? svg`<rect class=${kind} x=${i * 10 + 1.5} y=${below} width="7" height=${height} rx="1"></rect>` : nothing;
    });
  };
  return html`<figure class="chart"><svg viewBox="0 0 600 48" preserveAspectRatio="none" role="img" aria-label=${'Verdicts by minute in the last hour: ' + said}>
      <line x1="0" x2="600" y1="47.5" y2="47.5"></line>${hour.listed.map(bars)}</svg>
    <figcaption><span>Verdicts of the last hour</span>${KINDS.map(([kind, label]) =>
      html`<span class=${'key ' + kind}>${label} <b>${number(total(kind))}</b></span>`)}</figcaption></figure>`;
}

/** The state of a list in a word. */
const badge = list => list.problem || list.degraded ? html`<span class="badge bad">Needs you</span>`
  : list.behind ? html`<span class="badge warn">Behind</span>` : html`<span class="badge good">Active</span>`;

const fact = (name, value) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const card = list => html`<article class="card list">
  <header><h3><a href=${'#/list/' + encodeURIComponent(list.name)}>${named(list.name)}</a></h3>${badge(list)}</header>
  <p class="figure"><b>${number(list.entries)}</b> ${list.entries === 1 ? 'entry' : 'entries'}
    <span class="quiet">${list.kind === 'file' ? 'from a file' : 'in a database'}</span></p>
  ${error(list.problem)}
  <dl>
    ${fact(list.kind === 'file' ? 'Read' : 'Merged', list.asOf ? ago(list.asOf) : 'not yet')}
    ${list.changes === undefined ? nothing : fact('Changes since', number(list.changes))}
    ${list.filter && list.entries ? [fact('Filter errors, expected', percent(list.filter.rate)),
      fact('Filter errors, measured', percent(list.filter.measured)),
      fact('Memory', list.filter.bytes < 1e6 ? number(Math.ceil(list.filter.bytes / 1e3)) + ' KB' : number(Math.ceil(list.filter.bytes / 1e6)) + ' MB')] : nothing}
  </dl>
  ${list.refused?.count ? html`<details><summary>${many(list.refused.count, 'line')} refused</summary>
    <ul class="lines">${codes(list.refused.lines).map(line => html`<li>${line}</li>`)}</ul></details>` : nothing}
  ${list.refreshes?.length ? html`<details><summary>Last refreshes</summary><ul class="lines">${list.refreshes.map(each =>
    html`<li>${ago(each.at)}: ${each.problem ? shown(each.problem) : many(each.entries, 'entry', 'entries')}</li>`)}</ul></details>` : nothing}
</article>`;

export function view() {
  if (!state.all) return html`<main>${error(state.error)}${state.busy ? html`<p class="empty">Asking James…</p>` : nothing}</main>`;
  const {lists, mailets = [], lastHour} = state.all;
  return html`<main>${health(state.all)}${isOpen ? open() : nothing}${error(state.error)}
    <div class="two">${whoIsIt(mailets)}${mails()}</div>
    ${lists.length ? html`<section aria-labelledby="lists-title"><h2 id="lists-title">Lists</h2>
      ${lastHour && state.mails?.length ? html`<div class="card">${chart(lastHour)}</div>` : nothing}
      <div class="cards">${lists.map(card)}</div></section>` : nothing}</main>`;
}
