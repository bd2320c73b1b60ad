// Adds the view of events by session. An index that every commit keeps up costs a page for each session in it; SQLite
// therefore lists the events of sessions many at a time (sqlite-event-list.ts), and looks through those that are not listed.
import type { ColumnKinds } from '../schema.ts';

export const sessionEventSchema = ({ sessionEvents }: ColumnKinds): readonly string[] => sessionEvents;
