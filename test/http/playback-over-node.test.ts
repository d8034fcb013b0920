import { playbackContract } from './playback-contract.ts';

playbackContract('node');
