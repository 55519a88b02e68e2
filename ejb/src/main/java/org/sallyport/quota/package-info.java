/** Which tenants there are, and how much of the installation each may take up. Pure: knows no database and nobody who is refused for it. */
@NullMarked
package org.sallyport.quota;

import org.jspecify.annotations.NullMarked;
