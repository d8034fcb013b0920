import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { Engine, HostChecksAnswer, LedgerSnapshot } from '../../contract/operation.ts';
import { featureViews } from '../../features/page.ts';
import { useHost } from '../host/session.ts';
import { useAction, useRemote } from '../host/use-remote.ts';
import { Badge, Facts } from '../parts/facts.tsx';
import { FeaturePanels } from '../parts/feature-panels.tsx';
import { Failed, Remedies, RemotePart, TypedCommand } from '../parts/notice.tsx';
import { sentence, wordsOf } from '../words/sentence.ts';
import type { Tone } from '../words/tone.ts';
import { Disk } from './disk.tsx';
import { Figures } from './figures.tsx';
import { SettingsSection } from './settings.tsx';

const furtherViews = featureViews.filter(({ within }) => within === 'operations');

/** How the host is set up, what takes space, what it found of its machine, a backup, and what it measures. */
export const OperationsView = () => (
  <div class="page">
    <h1>Operations</h1>
    {furtherViews.length > 0 && (
      <nav class="actions" aria-label="Further views">
        {furtherViews.map(({ path, name, text }) => (
          <Fragment key={path}>
            <a class="button" href={`#/${path}`}>
              {name}
            </a>
            <span class="quiet">{text}</span>
          </Fragment>
        ))}
      </nav>
    )}
    <div class="split operations">
      <div>
        <FeaturePanels place="operations" given={{}} />
        <SettingsSection />
        <Disk />
        <Figures />
      </div>
      <aside aria-label="Care">
        <Machine />
        <Backup />
      </aside>
    </div>
  </div>
);

/** Copies the ledger while the host works. */
function Backup() {
  const host = useHost();
  const { action, run } = useAction();
  const [taken, setTaken] = useState<LedgerSnapshot | null>(null);
  const take = () => run(async () => setTaken(await host.snapshotLedger()));
  return (
    <section class="panel" aria-labelledby="backup">
      <h3 id="backup">Backup</h3>
      <p>
        Copies the records of the host, without media, into its data folder. For everything, run{' '}
        <TypedCommand words="backup FOLDER" />.
      </p>
      <button type="button" disabled={action.state === 'busy'} onClick={take}>
        {action.state === 'busy' ? 'Copying' : 'Copy the records'}
      </button>
      {action.state === 'failed' && <Failed error={action.error} />}
      {taken !== null && (
        <Facts
          of={[
            ['Copied to', <span class="mono">{taken.folder}</span>],
            ['Up to commit', taken.commit],
            ['Format', taken.format],
          ]}
        />
      )}
    </section>
  );
}

const tones: Readonly<Record<'ok' | 'weak' | 'failed', Tone>> = { ok: 'good', weak: 'warning', failed: 'bad' };

const stateWords: Readonly<Record<'ok' | 'weak' | 'failed', string>> = {
  ok: 'Fine',
  weak: 'Works, with a limit',
  failed: 'Does not work',
};

/** The checks of the machine and the engines of this start. Faults are in sight, the rest is folded. */
function Machine() {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.checks(), [host]);
  return (
    <RemotePart of={remote} what="what the host found of its machine" onRetry={reload}>
      {({ checks, engines }) => {
        const wrong = checks.filter(({ state }) => state !== 'ok');
        return (
          <section class="panel" aria-labelledby="machine">
            <h3 id="machine">This machine</h3>
            {wrong.length === 0 ? (
              <Badge state="ok" words={`All ${checks.length} checks pass`} tone="good" />
            ) : (
              <CheckList checks={wrong} />
            )}
            <details>
              <summary>Privacy and cost of each engine</summary>
              <ul class="plain engines">
                {engines.map((engine) => (
                  <EngineRow key={engine.engine} engine={engine} />
                ))}
              </ul>
            </details>
            <details>
              <summary>All checks</summary>
              <CheckList checks={checks} />
              <p class="hint">
                <TypedCommand words="doctor" /> also looks at the stored data. It reads and changes nothing.
              </p>
            </details>
          </section>
        );
      }}
    </RemotePart>
  );
}

const CheckList = ({ checks }: { readonly checks: HostChecksAnswer['checks'] }) => (
  <ul class="plain lined">
    {checks.map(({ check, state, detail, remedy }) => (
      <li key={check}>
        <span class="line-name">{check}</span>
        <Badge
          state={state}
          words={check === 'yt-dlp' && state === 'weak' ? 'Update recommended' : stateWords[state]}
          tone={tones[state]}
        />
        <span class="machine-words">
          {detail}
          {remedy !== null && `; ${remedy}`}
        </span>
      </li>
    ))}
  </ul>
);

const EngineRow = ({ engine: { engine, isOn, name, reach, mayCost, text, cause } }: { readonly engine: Engine }) => (
  <li>
    <p>
      <strong>{sentence(wordsOf(engine))}</strong>{' '}
      <Badge state={isOn ? 'on' : 'off'} tone={isOn ? (reach === 'outside' ? 'warning' : 'good') : 'quiet'} />
      {isOn && reach === 'outside' && <Badge state="leaves this machine" tone="warning" />}
      {mayCost && <Badge state="may cost" tone="warning" />}
    </p>
    <p>{sentence(text)}.</p>
    {name !== null && <p class="quiet mono">{name}</p>}
    {cause !== null && (
      <p class="hint">
        <Remedies causes={[cause]} />
      </p>
    )}
  </li>
);
