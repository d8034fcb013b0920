import { type ChartMigration, type ChartMigrations, unchanged } from './chart-migrations.ts';

/** The four parts of the detection were states of their own, which began and ended with it. */
const detection: ChartMigration = (stored) => ({ ...stored, value: { running: 'detect' } });

export const studyMigrations: ChartMigrations = {
  1: {
    accepted: unchanged,
    initializing: unchanged,
    'running.detect': detection,
    'running.subtitles': unchanged,
    'running.read': unchanged,
    'running.assess': unchanged,
    'running.decide': unchanged,
    'running.admit': unchanged,
    terminal: unchanged,
    failed: unchanged,
    interrupted: unchanged,
  },
};
