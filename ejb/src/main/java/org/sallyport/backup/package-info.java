/** Backups of the database: when they are taken, where they are and how many are kept. Knows no database. */
@NullMarked
package org.sallyport.backup;

import org.jspecify.annotations.NullMarked;
