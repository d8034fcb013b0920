export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const samplePattern = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const labelPattern = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

const labelsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(labelPattern)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)),
    ]),
  );

/** The families of the Prometheus text format, in their order. The lines of a histogram belong to its family. */
export function parsedExposition(text: string): readonly MetricFamily[] {
  const families: { name: string; help: string; type: string; samples: Sample[] }[] = [];
  const familyOf = (name: string) => {
    const known = families.find((family) => name === family.name);
    if (known !== undefined) return known;
    const made = { name, help: '', type: 'untyped', samples: [] };
    families.push(made);
    return made;
  };
  for (const line of text.split('\n')) {
    const [, word, about = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (word === 'HELP') familyOf(about).help = rest;
    if (word === 'TYPE') familyOf(about).type = rest;
    const [, name = '', labels = '', value = ''] = line.startsWith('#') ? [] : (samplePattern.exec(line) ?? []);
    if (name === '') continue;
    const base = families.at(-1);
    const isPart = base !== undefined && name.startsWith(`${base.name}_`) && base.type === 'histogram';
    const part = isPart ? { part: name.slice(base.name.length + 1) } : {};
    (isPart ? base : familyOf(name)).samples.push({ labels: { ...labelsOf(labels), ...part }, value: Number(value) });
  }
  return families;
}
