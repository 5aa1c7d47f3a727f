// On Apple's systems URLSession is Foundation's.

@_exported import Foundation
