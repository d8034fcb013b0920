import { useState } from 'preact/hooks';
import { HostError } from '../../client/host-error.ts';
import type { StudyHost } from '../../client/study-host.ts';
import type { Confirmation, FoundEngine, HostSetting, HostSettings } from '../../contract/settings.ts';
import { keepPageToken, lock, useHost } from '../host/session.ts';
import { useAction, useRemote } from '../host/use-remote.ts';
import { Badge } from '../parts/facts.tsx';
import { Agree, Field, ModelField, TextField } from '../parts/field.tsx';
import { Failed, Loading, Notice, Remedies, RemotePart } from '../parts/notice.tsx';
import { withModel } from '../words/caption-ways.ts';
import { clockTime, counted, duration, parsedTimeCode, size } from '../words/numbers.ts';
import { sentence, wordsOf } from '../words/sentence.ts';
import type { Tone } from '../words/tone.ts';

type Value = Exclude<HostSetting['value'], null>;

/** The statements that a person agrees to. */
const confirmationWords: Readonly<Record<Confirmation, string>> = {
  sent_to_a_server_on_this_machine: 'I agree that sound or text of my media is sent to this server on this machine.',
  leaves_this_machine_and_may_cost:
    'I agree that sound or text of my media leaves this machine, and that it may cost money.',
};

/** A value of a setting as a person reads it; null if nothing is set. */
export function settingText(value: HostSetting['value']): string | null {
  if (value === null) return null;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** The value that holds now, with its unit in words: `8589934592 (8.6 GB)`, `10:00`. */
function shownSetting({ name, form, value, preset }: Pick<HostSetting, 'name' | 'form' | 'value' | 'preset'>): string {
  const text = settingText(value) ?? preset ?? (form === 'switch' ? 'off' : 'not set');
  if (!/^\d+$/.test(text)) return text;
  if (name.endsWith('-bytes')) return `${text} (${size(Number(text))})`;
  return isTime(name) ? duration(Number(text)) : text;
}

/** The permission of each caption executor: the host starts with both or with none. */
export const executorPermissions: Readonly<Record<string, string>> = {
  'deterministic-test': 'allow-deterministic-caption-test-seam',
  'embedded-subtitles': 'allow-embedded-subtitle-captions',
  'grouped-subtitles': 'allow-embedded-subtitle-captions',
  'subtitles-translated': 'allow-real-caption-production',
  recognized: 'allow-recognized-captions',
  'subtitles-or-recognized': 'allow-recognized-captions',
  'recognized-translated': 'allow-real-caption-production',
};

/** The permission that is saved with the value of a setting; null if the value needs none. */
const permissionOf = (name: string, text: string): string | null =>
  name === 'caption-executor' ? (executorPermissions[text] ?? null) : null;

/** The values that are saved in one request if a person gives a setting this text. */
export function savedWith(setting: Pick<HostSetting, 'name' | 'form'>, text: string): Readonly<Record<string, Value>> {
  const permission = permissionOf(setting.name, text);
  return { [setting.name]: settingValueOf(setting, text), ...(permission !== null && { [permission]: true }) };
}

/** A length of time is typed as it is shown, `10:00`, and is on the wire in milliseconds. */
const isTime = (name: string): boolean => name.endsWith('-ms');

/** The name of a setting, without the unit of its wire. */
const settingName = (name: string): string => sentence(wordsOf(name.replace(/-(ms|bytes)$/, '')));

/** Settings and values that only tests of the program use. */
const isOfTests = (text: string): boolean => /(^|-)test(-|$)/.test(text);

/** The typed text of a setting as a value of the wire. Several values are typed one a line. */
export function settingValueOf({ name, form }: Pick<HostSetting, 'name' | 'form'>, text: string): Value {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (form === 'repeated') return lines;
  const [line = ''] = lines;
  if (form === 'switch') return line === 'on';
  const time = isTime(name) ? parsedTimeCode(line) : null;
  if (time !== null && line.includes(':')) return time;
  return /^(0|[1-9]\d{0,14})$/.test(line) ? Number(line) : line;
}

const isPending = ({ value, next }: HostSetting): boolean => JSON.stringify(value) !== JSON.stringify(next);

/** Engines and settings, with what a restart would change. */
export function SettingsSection() {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.settings.read(), [host]);
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Engines and settings</h2>
      <RemotePart of={remote} what="the settings" onRetry={reload}>
        {(settings) => (
          <>
            <Restart settings={settings} onRestarted={reload} />
            {settings.file.fault !== null && (
              <Notice kind="failed" title="The settings file cannot be read">
                <p>{sentence(settings.file.fault)}.</p>
                <p>
                  Correct <span class="mono">{settings.file.path}</span>; until then nothing can be changed here.
                </p>
              </Notice>
            )}
            {/* Another process may use other engines. */}
            <FoundEngines key={settings.startedAt} settings={settings} onChanged={reload} />
            <AllSettings settings={settings} onChanged={reload} />
          </>
        )}
      </RemotePart>
    </section>
  );
}

/** The subjects of rooms of settings, in the words of this page. */
const roomWords: Readonly<Record<string, string>> = {
  captions: 'captions',
  recognition: 'speech recognition',
  screen_text: 'text on the screen',
  reviewer: 'your name',
};

const pollMs = 500;
const patienceMs = 60_000;

/** Waits until another process answers under this address. Throws once it takes too long. */
async function restarted(host: StudyHost, before: string): Promise<void> {
  for (const until = performance.now() + patienceMs; performance.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    try {
      if ((await host.settings.read()).startedAt !== before) return keepPageToken(host).catch(() => undefined);
    } catch (error) {
      // The token of this page ended with the host.
      if (error instanceof HostError && error.code === 'unauthorized') return lock();
      if (error instanceof HostError) throw error;
    }
  }
  throw new Error('the host does not answer after its restart; look at its terminal');
}

interface RestartProps {
  readonly settings: HostSettings;
  readonly onRestarted: () => void;
}

/** The settings that wait for a restart, and the button for it. */
function Restart({ settings: { restart, settings, startedAt }, onRestarted }: RestartProps) {
  const host = useHost();
  const { action, run } = useAction();
  if (!restart.isNeeded) return null;
  const pending = [...new Set(settings.filter(isPending).map(({ room }) => roomWords[room] ?? wordsOf(room)))];
  // A model server is used at once, but for explanations.
  const applied = pending.length === 0 ? 'the model server of explanations' : pending.join(', ');
  const act = () =>
    run(async () => {
      await host.settings.restart();
      await restarted(host, startedAt);
      onRestarted();
    });
  return (
    <Notice kind="not-yet" icon="rotate-ccw" title={`Restart to apply your changes: ${applied}`}>
      <p>{sentence(restart.text)}</p>
      {restart.isPossible && (
        <button type="button" class="primary" disabled={action.state === 'busy'} onClick={act}>
          {action.state === 'busy' ? 'Restarting' : 'Restart the host'}
        </button>
      )}
      {action.state === 'failed' && <Failed error={action.error} />}
    </Notice>
  );
}

const engineStates: Readonly<Record<FoundEngine['state'], readonly [Tone, string]>> = {
  in_use: ['good', 'in use'],
  found: ['quiet', 'off, can be used'],
  incomplete: ['warning', 'needs something'],
  absent: ['quiet', 'not installed'],
};

const engineWords: Readonly<Record<string, string>> = {
  captions: 'Captions from subtitle tracks',
  recognizer: 'Speech recognition',
  caption_translation: 'Translation of captions',
  screen_text: 'Text on the screen',
};

/** The engines of this machine. Those that are not installed are folded. */
function FoundEngines({ settings, onChanged }: Pick<AllSettingsProps, 'settings' | 'onChanged'>) {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.settings.engines(), [host]);
  if (remote.state === 'loading') return <Loading what="the engines of this machine" />;
  if (remote.state === 'failed') return <Failed error={remote.error} onRetry={reload} />;
  const there = remote.value.engines.filter(({ state }) => state !== 'absent');
  const absent = remote.value.engines.filter(({ state }) => state === 'absent');
  const changed = () => {
    reload();
    onChanged();
  };
  return (
    <div class="panel">
      {there.length === 0 && <p>No further engine is installed. Studies use what comes with the host.</p>}
      <ul class="plain engines">
        {there.map((engine) => (
          <EngineRow
            key={`${engine.engine} ${engine.name}`}
            engine={engine}
            isChosen={isChosen(engine, settings)}
            onChanged={changed}
          />
        ))}
      </ul>
      {absent.length > 0 && (
        <details>
          <summary>{counted(absent.length, 'engine')} that can be installed</summary>
          <ul class="plain engines">
            {absent.map((engine) => (
              <EngineRow key={`${engine.engine} ${engine.name}`} engine={engine} isChosen={false} onChanged={changed} />
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** True if a restart will use an engine: a person switched it on, and the host that runs has other settings. */
export const isChosen = ({ use }: Pick<FoundEngine, 'use'>, { settings }: Pick<HostSettings, 'settings'>): boolean =>
  Object.keys(use).length > 0 &&
  Object.entries(use).every(([name, value]) =>
    settings.some((each) => each.name === name && JSON.stringify(each.next) === JSON.stringify(value)),
  );

interface EngineRowProps {
  readonly engine: FoundEngine;
  readonly isChosen: boolean;
  readonly onChanged: () => void;
}

function EngineRow({ engine, isChosen: isNext, onChanged }: EngineRowProps) {
  const host = useHost();
  const { action, run } = useAction();
  const [model, setModel] = useState(engine.models[0] ?? '');
  const [isOpen, setOpen] = useState(false);
  const [isAgreed, setAgreed] = useState(false);
  const { state, name, text, remedy, cause, models, confirmation } = engine;
  const [tone, words] =
    state === 'found' && isNext ? (['waiting', 'on after a restart'] as const) : engineStates[state];
  const isFound = state === 'found' && !isNext;
  // Without settings of its own, it has a command: one of its models has to be chosen for its languages.
  const canUse = isFound && Object.keys(engine.use).length > 0;
  const use = () =>
    run(async () => {
      await host.settings.change({ set: withModel(engine, model).use, confirmation });
      onChanged();
    });
  return (
    <li>
      <div class="engine-head">
        <strong>{engineWords[engine.engine] ?? sentence(wordsOf(engine.engine))}</strong>
        <Badge state={state} words={words} tone={tone} />
        {canUse && confirmation === null && (
          <button type="button" disabled={action.state === 'busy'} onClick={use}>
            Switch on<span class="sr"> {name}</span>
          </button>
        )}
        {canUse && confirmation !== null && (
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Switch on…<span class="sr"> {name}</span>
          </button>
        )}
      </div>
      <p>{sentence(text)}</p>
      {cause !== null && (
        <p class="hint">
          <Remedies causes={[cause]} />
        </p>
      )}
      {isFound && !canUse && remedy !== null && <p class="hint">{sentence(remedy)}.</p>}
      {canUse && <ModelField models={models} model={model} onModel={setModel} />}
      {isOpen && confirmation !== null && (
        <>
          <Agree isTicked={isAgreed} onTick={setAgreed}>
            {confirmationWords[confirmation]}
          </Agree>
          <div class="actions">
            <button type="button" class="primary" disabled={!isAgreed || action.state === 'busy'} onClick={use}>
              Switch on {name}
            </button>
          </div>
        </>
      )}
      {action.state === 'failed' && <Failed error={action.error} />}
    </li>
  );
}

interface AllSettingsProps {
  readonly settings: HostSettings;
  readonly onChanged: () => void;
}

/** Every setting, folded by what it is about. */
function AllSettings({ settings: { settings: all, file }, onChanged }: AllSettingsProps) {
  const settings = all.filter(({ name, source }) => !isOfTests(name) || source !== 'default');
  const rooms = [...new Set(settings.map(({ room }) => room))];
  const set = settings.filter(({ source }) => source !== 'default').length;
  return (
    <details class="panel settings">
      <summary>
        All {settings.length} settings <span class="quiet">{set === 0 ? 'defaults' : `${set} set`}</span>
      </summary>
      {rooms.map((room) => {
        const own = settings.filter((each) => each.room === room);
        const set = own.filter(({ source }) => source !== 'default').length;
        return (
          <details key={room}>
            <summary>
              {sentence(roomWords[room] ?? wordsOf(room))}{' '}
              <span class="quiet">{set === 0 ? 'defaults' : `${set} of ${own.length} set`}</span>
            </summary>
            <ul class="plain lined">
              {own.map((setting) => (
                <SettingRow key={setting.name} setting={setting} isLocked={file.fault !== null} onChanged={onChanged} />
              ))}
            </ul>
          </details>
        );
      })}
      <p class="hint">
        Kept in <span class="mono">{file.path}</span>
        {file.state === 'absent' && ', which the first change makes'}.
      </p>
    </details>
  );
}

interface SettingRowProps {
  readonly setting: HostSetting;
  readonly isLocked: boolean;
  readonly onChanged: () => void;
}

/** Why a setting cannot be changed here; null if it can. */
function whyFixed({ source, change, name }: HostSetting): string | null {
  if (source === 'option') return 'given as an option of this start';
  return change === 'command_line' ? `changed by media-study settings set ${name}=VALUE` : null;
}

const needsConfirmation = (error: unknown): boolean =>
  error instanceof HostError && error.code === 'settings_confirmation_required';

/** Changes settings once a person agrees that data leaves the machine: that covers a server on this machine. */
async function changedAsAgreed(host: StudyHost, set: Readonly<Record<string, Value>>): Promise<void> {
  try {
    await host.settings.change({ set, confirmation: 'leaves_this_machine_and_may_cost' });
  } catch (error) {
    if (!needsConfirmation(error)) throw error;
    await host.settings.change({ set, confirmation: 'sent_to_a_server_on_this_machine' });
  }
}

function SettingRow({ setting, isLocked, onChanged }: SettingRowProps) {
  const host = useHost();
  const { action, run } = useAction();
  const [text, setText] = useState<string | null>(null);
  const [isAgreed, setAgreed] = useState(false);
  const { name, form, help, value, next, source, preset } = setting;
  const choices =
    form === 'switch' ? ['on', 'off'] : setting.choices?.filter((each) => each === String(value) || !isOfTests(each));
  const permission = text === null ? null : permissionOf(name, text);
  const fixed = whyFixed(setting);
  const change = (change: Parameters<StudyHost['settings']['change']>[0]) =>
    run(async () => {
      await host.settings.change(change);
      setText(null);
      onChanged();
    });
  const isSending = action.state === 'failed' && needsConfirmation(action.error);
  const save = (event: Event) => {
    event.preventDefault();
    if (text === null) return;
    const set = savedWith(setting, text);
    run(async () => {
      if (isAgreed) await changedAsAgreed(host, set);
      else await host.settings.change({ set });
      setText(null);
      setAgreed(false);
      onChanged();
    });
  };
  const single = settingText(next) ?? (form === 'switch' ? 'off' : choices === undefined ? '' : (preset ?? ''));
  const initial = Array.isArray(next)
    ? next.join('\n')
    : isTime(name) && /^\d+$/.test(single)
      ? clockTime(Number(single))
      : single;
  return (
    <li>
      <span class="line-name">
        {settingName(name)}
        <span class="hint"> {sentence(help)}</span>
      </span>
      <span class="setting-value">
        <span class={value === null ? 'quiet' : ''}>{shownSetting(setting)}</span>
        {isPending(setting) && (
          <Badge state="" words={`after a restart: ${settingText(next) ?? 'the default'}`} tone="waiting" />
        )}
        {fixed === null && text === null && (
          <button type="button" class="small" disabled={isLocked} onClick={() => setText(initial)}>
            Change<span class="sr"> {wordsOf(name)}</span>
          </button>
        )}
      </span>
      {fixed !== null && <span class="hint machine-words">{sentence(fixed)}</span>}
      {text !== null && (
        <form class="row-form machine-words" onSubmit={save}>
          {choices !== undefined ? (
            <Field label={settingName(name)}>
              {(id) => (
                <select id={id} value={text} onChange={({ currentTarget }) => setText(currentTarget.value)}>
                  {choices.map((each) => (
                    <option key={each} value={each}>
                      {form === 'switch' ? sentence(each) : each}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          ) : form === 'repeated' ? (
            <Field label={settingName(name)} hint="One a line.">
              {(id) => (
                <textarea
                  id={id}
                  class="mono"
                  rows={3}
                  spellcheck={false}
                  onInput={({ currentTarget }) => setText(currentTarget.value)}
                >
                  {initial}
                </textarea>
              )}
            </Field>
          ) : (
            <TextField label={settingName(name)} value={text} onValue={setText} isMono />
          )}
          {permission !== null && <p class="hint">The permission for it is saved with it.</p>}
          {isSending && (
            <Agree isTicked={isAgreed} onTick={setAgreed}>
              {confirmationWords.leaves_this_machine_and_may_cost}
            </Agree>
          )}
          <button type="submit" class="primary" disabled={action.state === 'busy' || (isSending && !isAgreed)}>
            Save
          </button>
          {source === 'file' && (
            <button type="button" disabled={action.state === 'busy'} onClick={() => change({ unset: [name] })}>
              Use the default
            </button>
          )}
          <button type="button" onClick={() => setText(null)}>
            Cancel
          </button>
        </form>
      )}
      {action.state === 'failed' && !isSending && <Failed error={action.error} />}
    </li>
  );
}
