import type { OverviewPart, RuntimeOverview } from '../../contract/overview.ts';
import { Badge } from '../parts/facts.tsx';
import { isInPart, sentence, withoutCode, withoutName, withoutNo } from '../words/codes.ts';
import { withLanguageName } from '../words/language-name.ts';
import { withTimes } from '../words/numbers.ts';

const parts = ['decision', 'review', 'captions', 'check', 'explanations'] as const;

/** How far each part of the study is. */
export const WhereItStands = ({ overview }: { readonly overview: RuntimeOverview }) => (
  <section aria-labelledby="stands">
    <h2 id="stands">Where it stands</h2>
    <ul class="plain lined">
      {parts.map((name) => (
        <PartRow key={name} name={name} part={overview[name]} />
      ))}
    </ul>
  </section>
);

/** The study in words: what was found and claimed, and what is kept back. */
export function OverviewWords({ overview }: { readonly overview: RuntimeOverview }) {
  const { findings, claims, withheld } = overview;
  return (
    <div class="words">
      <section aria-labelledby="found">
        <h2 id="found">What was found</h2>
        <ul class="plain lined">
          {findings.map(({ kind, title, artifactId, state, text, reasonCode }) => (
            <li key={`${kind} ${artifactId ?? title}`}>
              <span class="line-name">{sentence(title)}</span>
              <span class={state === 'available' ? '' : 'withheld-word'}>{withoutCode(text, reasonCode)}</span>
              {reasonCode !== null && <span class="quiet mono">{reasonCode}</span>}
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="claimed">
        <h2 id="claimed">What is claimed</h2>
        {claims.length === 0 ? (
          <p class="quiet">Nothing. Only facts that a read cites become claims.</p>
        ) : (
          <ul class="plain lined">
            {claims.map(({ kind, value, states, text }) => (
              <li key={`${kind} ${value} ${states}`}>
                <span class="line-name">
                  {sentence(kind === 'language_identity' && value !== null ? withLanguageName(text, value) : text)}
                </span>
                {states.map((state) => (
                  <Badge key={state} state={state} />
                ))}
              </li>
            ))}
          </ul>
        )}
      </section>
      <section aria-labelledby="kept">
        <h2 id="kept">What is kept back</h2>
        {withheld.length === 0 ? (
          <p class="quiet">Nothing is.</p>
        ) : (
          <ul class="plain lined">
            {withheld.map(({ what, reasonCode, text }) => (
              <li key={`${what} ${reasonCode} ${text}`}>
                <span class="line-name">{sentence(what)}</span>
                <span>{withoutName(text, what)}</span>
                <span class="quiet mono">{reasonCode}</span>
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}

const stateWords: Readonly<Record<OverviewPart['state'], string>> = {
  not_yet: 'not yet',
  never: 'never',
  waiting: 'waiting',
  under_way: 'under way',
  withheld: 'withheld',
  failed: 'failed',
  done: 'done',
  withdrawn: 'withdrawn',
};

const PartRow = ({ name, part }: { readonly name: string; readonly part: OverviewPart }) => (
  <li>
    <span class="line-name">{sentence(name)}</span>
    <Badge state={isInPart(part) ? 'withheld' : part.state} words={stateWords[part.state]} />
    <span>{sentence(withTimes(withoutName(withoutNo(part.text), stateWords[part.state])))}</span>
  </li>
);
