/** How much of the installation a tenant may take up. Pure: knows no database and nobody who is refused for it. */
@NullMarked
package org.sallyport.quota;

import org.jspecify.annotations.NullMarked;
