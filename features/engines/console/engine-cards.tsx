import { useEffect, useRef } from 'preact/hooks';
import { useHost } from '../../../console/host/session.ts';
import { useAction, useEvery, useRemote } from '../../../console/host/use-remote.ts';
import { Badge } from '../../../console/parts/facts.tsx';
import { Failed, Notice, RemotePart, TypedCommand } from '../../../console/parts/notice.tsx';
import { counted, size } from '../../../console/words/numbers.ts';
import { sentence } from '../../../console/words/sentence.ts';
import type { Tone } from '../../../console/words/tone.ts';
import type { EngineCards as Cards, EngineCard, EngineWork, EngineWorkRequest } from '../../../contract/engine-work.ts';

/** How often the page asks while a command works, in ms. */
const soonMs = 1_000;
/** How often it asks otherwise: a person may add an engine at a terminal. */
const everyMs = 10_000;

/** The engines of the host, asked for again while the panel is open. */
function useEngines() {
  const host = useHost();
  const { remote, reload, poll } = useRemote(() => host.engines.list(), [host]);
  const isRunning = remote.state === 'ready' && remote.value.work?.state === 'running';
  useEvery(isRunning ? soonMs : everyMs, true, poll);
  return { remote, reload };
}

const stateWords: Readonly<Record<EngineCard['state'], readonly [Tone, string]>> = {
  in_use: ['good', 'in use'],
  installed: ['quiet', 'installed'],
  available: ['quiet', 'not installed'],
};

const stepWords = { fetching: 'Fetching', trying: 'Trying it with speech, noise and music' } as const;

/** The time for an hour of speech. */
function speedWords({ secondsPerSecond, state }: EngineCard): string | null {
  if (secondsPerSecond === null) return null;
  if (state !== 'available') return `${secondsPerSecond.toFixed(1)} s for a second of speech, in calls of 4 s`;
  const minutes = Math.max(1, Math.round(60 * secondsPerSecond));
  return `an hour of speech takes about ${minutes} min here, by estimate`;
}

/** What a card says about its engine, as far as it is known. */
function factsOf(card: EngineCard): readonly string[] {
  const { state, sends, origin, bytes, languages, memoryBytes, selfTest } = card;
  const amount = bytes === null ? null : size(bytes);
  const speed = speedWords(card);
  return [
    sends === 'nothing' ? 'Runs on this machine; nothing is sent' : `Sends ${sends}`,
    ...(state === 'available' && amount !== null && origin !== null ? [`Download: ${amount}, from ${origin}`] : []),
    ...(state !== 'available' && amount !== null ? [`On the disk: ${amount}`] : []),
    ...(languages === null ? [] : [`${languages} languages`]),
    ...(memoryBytes === null ? [] : [`Memory: ${size(memoryBytes)} at most`]),
    ...(speed === null ? [] : [`Speed: ${speed}`]),
    ...(selfTest === null
      ? []
      : [
          `Self-test: ${selfTest.wordsRight} of ${selfTest.wordsSpoken} words right, ${selfTest.wordsInvented} invented where nobody speaks`,
        ]),
  ];
}

interface CardProps {
  readonly card: EngineCard;
  readonly isRecommended: boolean;
  readonly work: EngineWork | null;
  readonly onChanged: () => void;
}

/** What to do about failures that a person on the page mends in another way than one at a terminal. */
const pageRemedies: Readonly<Record<string, string>> = {
  download_failed:
    'Try again when the network is there: the download continues where it stopped. Without a network, add the engine from files, at a terminal.',
  disk_full: 'Free some space, then try again: the download continues where it stopped.',
  digest_mismatch: 'Try again. If it happens again, the server has other files than those that were published.',
  busy: 'Wait until it has ended, then try again.',
};

/** The work on an engine: its progress with a stop, or its end. */
function Work({ work, onChanged }: { readonly work: EngineWork; readonly onChanged: () => void }) {
  const host = useHost();
  const { action, run } = useAction();
  const { name, state, step, done, total, failure, selfTest, act } = work;
  const said = failure?.remedy == null ? null : `${sentence(failure.remedy)}.`;
  const remedy = pageRemedies[failure?.code ?? ''] ?? said;
  const stop = () =>
    run(async () => {
      await host.engines.stop();
      onChanged();
    });
  if (state === 'running') {
    const isMeasured = done !== null && total !== null && total > 0;
    return (
      <div class="engine-work">
        <label>
          {step === null ? 'Starting' : stepWords[step]}
          {isMeasured && `: ${size(done)} of ${size(total)}`}
          <progress {...(isMeasured && { value: done, max: total })} />
        </label>
        <button type="button" disabled={action.state === 'busy'} onClick={stop}>
          Stop<span class="sr"> {name}</span>
        </button>
        {action.state === 'failed' && <Failed error={action.error} />}
      </div>
    );
  }
  if (state === 'stopped')
    return <p class="hint">Stopped. What was fetched stays, and the next attempt continues it.</p>;
  if (failure !== null)
    return (
      <Notice kind="failed" title={act === 'add' ? 'It was not added' : 'It does not work'}>
        <p>{failure.message}.</p>
        {remedy !== null && <p>{remedy}</p>}
      </Notice>
    );
  return act === 'test' && selfTest !== null ? (
    <p class="hint">
      Tried: {selfTest.wordsRight} of {selfTest.wordsSpoken} words are right.
    </p>
  ) : null;
}

function Card({ card, isRecommended, work, onChanged }: CardProps) {
  const host = useHost();
  const { action, run } = useAction();
  const { name, state, bytes } = card;
  const own = work?.name === name ? work : null;
  const isBusy = action.state === 'busy' || work?.state === 'running';
  const begin = (act: EngineWorkRequest['act']) => () =>
    run(async () => {
      await host.engines.begin(act, name);
      onChanged();
    });
  const [tone, words] = stateWords[state];
  const isInstalled = card.selfTest !== null;
  return (
    <li class="engine-card" aria-label={name}>
      <div class="engine-head">
        <strong>{name}</strong>
        <Badge state={state} words={words} tone={tone} />
        {isRecommended && state === 'available' && <Badge state="recommended" words="fits this machine" tone="good" />}
      </div>
      <ul class="plain quiet">
        {factsOf(card).map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      {own !== null && <Work work={own} onChanged={onChanged} />}
      {own?.state !== 'running' && (
        <div class="actions">
          {state === 'available' && (
            <button type="button" class={isRecommended ? 'primary' : ''} disabled={isBusy} onClick={begin('add')}>
              Fetch and use it{bytes !== null && `, ${size(bytes)}`}
              <span class="sr"> {name}</span>
            </button>
          )}
          {isInstalled && state === 'installed' && (
            <button type="button" class="primary" disabled={isBusy} onClick={begin('use')}>
              Use it<span class="sr"> {name}</span>
            </button>
          )}
          {isInstalled && (
            <button type="button" disabled={isBusy} onClick={begin('test')}>
              Try it<span class="sr"> {name}</span>
            </button>
          )}
        </div>
      )}
      {action.state === 'failed' && <Failed error={action.error} />}
    </li>
  );
}

const CardList = ({ cards, of, onChanged }: { cards: Cards; of: readonly EngineCard[]; onChanged: () => void }) => (
  <ul class="plain engine-cards">
    {of.map((card) => (
      <Card
        key={card.name}
        card={card}
        isRecommended={card.name === cards.recommended}
        work={cards.work}
        onChanged={onChanged}
      />
    ))}
  </ul>
);

/** Engines that recognize speech: those that are here, the one that fits this machine, and the others of the catalogue, folded. */
export function EnginesPanel() {
  const { remote, reload } = useEngines();
  return (
    <section aria-labelledby="speech-engines">
      <h2 id="speech-engines">Engines for speech</h2>
      <RemotePart of={remote} what="the engines" onRetry={reload}>
        {(cards) => {
          const { engines, recommended, work } = cards;
          const isShown = ({ name, state }: EngineCard) =>
            state !== 'available' || name === work?.name || name === recommended;
          const folded = engines.filter((card) => !isShown(card));
          return (
            <div class="panel">
              <CardList cards={cards} of={engines.filter(isShown)} onChanged={reload} />
              {folded.length > 0 && (
                <details>
                  <summary>{counted(folded.length, 'other engine')} of the catalogue</summary>
                  <CardList cards={cards} of={folded} onChanged={reload} />
                </details>
              )}
              <p class="hint">
                Models, programs and servers of yours: <TypedCommand words="engines add" />.
              </p>
            </div>
          );
        }}
      </RemotePart>
    </section>
  );
}

/** The engine that fits a new host without a recognizer, and its work until it is in use. */
export function FirstEngine() {
  const { remote, reload } = useEngines();
  const wasOffered = useRef(false);
  const cards = remote.state === 'ready' ? remote.value : null;
  const isInUse = cards?.engines.some(({ state }) => state === 'in_use') === true;
  useEffect(() => {
    if (cards !== null && !isInUse) wasOffered.current = true;
  }, [cards, isInUse]);
  if (cards === null || (isInUse && !wasOffered.current)) return null;
  const card =
    cards.engines.find(({ state }) => state === 'in_use') ??
    cards.engines.find(({ state }) => state === 'installed') ??
    cards.engines.find(({ name }) => name === (cards.work?.name ?? cards.recommended));
  if (card === undefined) return null;
  return (
    <section class="panel" aria-labelledby="first-engine">
      <h2 id="first-engine">{isInUse ? 'Speech is recognized' : 'For films without subtitles'}</h2>
      {!isInUse && (
        <p>An engine recognizes their speech on this computer. You can also add it later, under Operations.</p>
      )}
      <CardList cards={cards} of={[card]} onChanged={reload} />
    </section>
  );
}
